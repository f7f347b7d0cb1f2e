/*
 * Gives odd requests to the lane and to node:http, and compares their answers octet by octet: `npm run fuzz:http`. If
 * they differ, prints the input and exits with status 1.
 */

import { parseArgs } from 'node:util';
import { BothWays } from '../support/clients/both-ways.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
  },
});
const [inputs, seed, from] = [values.inputs, values.seed, values.from].map(Number);
if (inputs === undefined || seed === undefined || from === undefined) throw new RangeError('an option is no number');
await using ways = await BothWays.start();
await ways.compare({ seed, from, to: from + inputs });
process.stdout.write(`${inputs} connections, seed ${seed}: no difference\n`);

import { parseArgs } from 'node:util';
import { MAGIC } from './magic.ts';
import { startSimulator } from './simulator.ts';

/** The simulator as a process of its own: `node packages/smpp/src/simulator/main.ts --help`. */

const HELP = `A carrier that speaks SMPP, to try things out with.

  --port <number>              default 2775; 0 for any free one
  --host <address>             default 127.0.0.1
  --system-id, --password      given, they are asked for; else every bind is taken
  --receipt-delay-ms <number>  default 500
  --throughput <number>        submit_sm a second, more are throttled
  --journal <file>             one JSON line for whatever happens
  --journal-texts              with the texts
  --hex-ids                    message ids in hexadecimal
  --no-magic                   no receiver is special

Receivers that end in these digits are:

${Object.entries(MAGIC)
  .map(([digits, { about }]) => `  ${digits}  ${about}\n`)
  .join('')}`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    help: { type: 'boolean' },
    port: { type: 'string', default: '2775' },
    host: { type: 'string' },
    'system-id': { type: 'string' },
    password: { type: 'string' },
    'receipt-delay-ms': { type: 'string' },
    throughput: { type: 'string' },
    journal: { type: 'string' },
    'journal-texts': { type: 'boolean', default: false },
    'hex-ids': { type: 'boolean', default: false },
    magic: { type: 'boolean', default: true },
  },
});

if (values.help === true) process.stdout.write(HELP);
else await run();

async function run(): Promise<void> {
  const { host, password, journal, throughput } = values;
  const systemId = values['system-id'];
  const delay = values['receipt-delay-ms'];
  const simulator = await startSimulator({
    port: number(values.port),
    magic: values.magic,
    journalTexts: values['journal-texts'],
    messageIds: values['hex-ids'] ? 'hex' : 'decimal',
    ...(host !== undefined && { host }),
    ...(systemId !== undefined && { systemId }),
    ...(password !== undefined && { password }),
    ...(journal !== undefined && { journal }),
    ...(delay !== undefined && { receiptDelayMs: number(delay) }),
    ...(throughput !== undefined && { throughput: number(throughput) }),
  });
  process.stdout.write(`simulator listening on port ${simulator.port}\n`);
  const stop = (): void => void simulator.close();
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

function number(text: string): number {
  if (!/^\d+$/.test(text)) throw new RangeError(`${text} is not a whole number`);
  return Number(text);
}

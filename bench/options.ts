/* The options of `npm run bench -- http`, and its help. */

import { parseArgs } from 'node:util';

export interface Options {
  readonly seconds: number;
  readonly connections: number;
  /** Most requests a second; 0 for no limit. */
  readonly rate: number;
  readonly rounds: number;
  readonly withPeer: boolean;
  /** Messages in the filled store; 0 for no such comparison. */
  readonly stored: number;
  readonly asJson: boolean;
}

export const help = `How fast Morsel carries messages from HTTP to a carrier and their receipts back, and whether the books hold.

  npm run bench -- [http] [--seconds 15] [--connections 64] [--rate N] [--rounds N] [--peer] [--stored N] [--json]

  --seconds N      how long each round sends, after three seconds to warm up (15)
  --connections N  HTTP connections, each with one request under way (64)
  --rate N         requests a second at most (as many as are answered)
  --rounds N       rounds of each side; the median counts (1, or 3 where sides are compared)
  --peer           in turn with Kannel and its store file, on the same load
  --stored N       in turn on an empty store and on one that holds N messages
  --json           one JSON value on standard output

The gateway runs in a process of its own with a fresh data directory under the system's folder for temporary files (TMPDIR);
the carrier is smsc_sink.c; wrk is the client. It ends with status 1 unless every message that was answered 200 was
charged, submitted and delivered, once each, by the counts of the client, the store and the carrier.

Needs wrk and a C compiler, and for --peer Kannel: apt-get install wrk gcc libc6-dev kannel
`;

const mayBeZero = new Set(['rate', 'stored']);

/** The options, or a sentence about the first wrong one. */
export function readOptions(args: readonly string[]): Options | 'help' | { readonly wrong: string } {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '15' },
        connections: { type: 'string', default: '64' },
        rate: { type: 'string', default: '0' },
        rounds: { type: 'string' },
        peer: { type: 'boolean', default: false },
        stored: { type: 'string', default: '0' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (fault) {
    return { wrong: fault instanceof Error ? fault.message : 'the options cannot be read' };
  }
  if (values.help) return 'help';
  const isComparison = values.peer || values.stored !== '0';
  const { rounds = isComparison ? '3' : '1' } = values;
  const numbers = {
    seconds: values.seconds,
    connections: values.connections,
    rate: values.rate,
    rounds,
    stored: values.stored,
  };
  for (const [name, text] of Object.entries(numbers)) {
    if (!/^\d{1,8}$/.test(text) || (!mayBeZero.has(name) && Number(text) < 1)) {
      return { wrong: `--${name} must be a whole number` };
    }
  }
  if (values.peer && values.stored !== '0') return { wrong: 'compare with one thing at a time: --peer or --stored' };
  return {
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    rate: Number(values.rate),
    rounds: Number(rounds),
    withPeer: values.peer,
    stored: Number(values.stored),
    asJson: values.json,
  };
}

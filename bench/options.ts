/* The options of `npm run bench -- http`, and its help. */

import { parseArgs } from 'node:util';

export interface Options {
  readonly seconds: number;
  readonly connections: number;
  /** Most requests a second; 0 for no limit. */
  readonly rate: number;
  readonly rounds: number;
  readonly withPeer: boolean;
  /** Messages in the filled store; 0 for no comparison with a filled store. */
  readonly stored: number;
  readonly asJson: boolean;
}

export const help = `Measures how many messages a second go from HTTP to a carrier with their receipts back, and compares all counts.

  npm run bench -- [http] [--seconds 15] [--connections 64] [--rate N] [--rounds N] [--peer] [--stored N] [--json]

  --seconds N      how long each round sends, after three seconds to warm up (default: 15)
  --connections N  HTTP connections, each with one request in flight (default: 64)
  --rate N         the most requests a second (default: as many as are answered)
  --rounds N       rounds of each side, of which the median counts (default: 1, or 3 with --peer or --stored)
  --peer           runs Kannel with its store file in turn with the gateway, with the same load
  --stored N       runs in turn on an empty store and on a store with N messages
  --json           prints one JSON value

The gateway is a separate process with a new data directory in the system's temporary folder (TMPDIR). The carrier is
smsc_sink.c, and the client is wrk. The exit status is 1 unless every message that was answered 200 was charged, submitted
and delivered once, by the counts of the client, the store and the carrier.

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

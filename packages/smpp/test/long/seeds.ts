import { encode, writeReceipt } from '../../src/index.ts';
import { octetsOf, vectors } from '../../vectors/pdus.ts';
import { readShared } from '../../vectors/shared.ts';

/** The seeds of the fuzzer: the vectors of this package, and the real PDUs and receipts beside the checkout. */
export interface Seeds {
  readonly pdus: readonly Buffer[];
  /** The texts of real receipts. */
  readonly texts: readonly Buffer[];
}

/** Reads the seeds. Calls `warn` for missing files of real PDUs or receipts. */
export function readSeeds(warn: (line: string) => void): Seeds {
  const receipt = writeReceipt({
    id: '42',
    state: 'DELIVERED',
    submittedAtMs: 0,
    doneAtMs: 0,
    text: Buffer.from('Hi'),
  });
  const own = [
    ...vectors.map(({ hex }) => octetsOf(hex)),
    encode({ command: 'deliver_sm', sequence_number: 1, ...receipt }),
  ];
  const context = { diagnostic: warn };
  const wild = readShared(context, 'smpp/pdus.jsonl').map((line) => Buffer.from(textOf(line, 'hex'), 'hex'));
  const texts = readShared(context, 'receipts/receipts.jsonl').map((line) =>
    Buffer.from(textOf(line, 'text'), 'latin1'),
  );
  return {
    pdus: [...own, ...wild].map((octets) => Buffer.from(octets)),
    texts: [Buffer.from(receipt.short_message), ...texts],
  };
}

function textOf(line: unknown, name: string): string {
  const value: unknown = typeof line === 'object' && line !== null ? Reflect.get(line, name) : undefined;
  if (typeof value !== 'string') throw new TypeError(`a line of the shared data has no ${name}`);
  return value;
}

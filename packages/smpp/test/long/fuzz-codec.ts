import { isDeepStrictEqual } from 'node:util';
import { type Decoded, type Pdu, encode, EncodeError, isCommandName } from '../../src/index.ts';
import { mutatePdu } from './mutate.ts';
import { type Target, Finding, holds } from './target.ts';

/*
 * The properties of the decoder and the encoder that the fuzzer checks for each input.
 */

export type Decode = (bytes: Uint8Array) => Decoded;

const faults: Readonly<Record<string, number>> = { command_length: 2, command_id: 3, body: 1 };
const odditiesMax = 8;
const reasonMax = 120;

/** The target for single mutated PDUs. */
export function codecTarget(decode: Decode): Target {
  return {
    ends: ['whole', 'odd', 'command_length', 'command_id', 'body'],
    make: (chance, { pdus }) => mutatePdu(chance, pdus),
    run(input) {
      const decoded = decode(input);
      if (!decoded.ok) {
        const { kind, command_status, reason } = decoded.fault;
        holds(faults[kind] === command_status, 'a fault is one of three, with its status');
        holds(reason.length > 0 && reason.length <= reasonMax, 'a fault has a short reason');
        return kind;
      }
      const { pdu, oddities } = decoded;
      holds(isCommandName(pdu.command), 'a PDU is of a command that is in the table');
      holds(octetsIn(pdu) <= input.length, 'no more octets come out than went in');
      holds(oddities.length <= odditiesMax, 'oddities have a limit');
      if (oddities.length === 0) {
        holds(input.equals(encode(pdu)), 'what is not odd is written as it was');
        return 'whole';
      }
      checkTail(input, oddities);
      checkAgain(pdu, decode);
      return 'odd';
    },
  };
}

/** Checks that octets that were left over at the end are no TLV: they are shorter than their length field says. */
function checkTail(input: Buffer, oddities: readonly string[]): void {
  for (const oddity of oddities) {
    const left = Number(/^(\d+) octets at the end are not a TLV$/.exec(oddity)?.[1] ?? 0);
    if (left < 4) continue;
    holds(4 + input.readUInt16BE(input.length - left + 2) > left, 'octets at the end that are a TLV are read as one');
  }
}

/**
 * Encodes a PDU with oddities, and decodes it to the same PDU, except for `rest`. If it cannot be encoded, it must
 * throw EncodeError.
 */
function checkAgain(pdu: Pdu, decode: Decode): void {
  let bytes: Uint8Array;
  try {
    bytes = encode(pdu);
  } catch (error) {
    if (error instanceof EncodeError) return;
    throw error;
  }
  const again = decode(bytes);
  if (!again.ok) throw new Finding('what was written can be read');
  holds(
    isDeepStrictEqual({ ...again.pdu, rest: undefined }, { ...pdu, rest: undefined }),
    'what was written reads the same',
  );
}

function octetsIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + octetsIn(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  // The name of the command is not in the octets.
  for (const [name, one] of Object.entries(value)) if (name !== 'command') sum += octetsIn(one);
  return sum;
}

import { type Frame, pduLengthMax } from '../../src/index.ts';
import type { Chance } from './chance.ts';
import { mutatePdu } from './mutate.ts';
import type { Seeds } from './seeds.ts';
import { type Target, holds } from './target.ts';

/** The interface of the framer for the fuzzer. */
export interface FramerLike {
  push(chunk: Uint8Array): Frame[];
  readonly heldOctets: number;
}

const header = 16;
const pdusMax = 4;
/** One stream in this many arrives octet by octet. */
const singleOneIn = 50;
const smallPiece = 8;
const piece = 400;

/** Makes the target for streams of mutated PDUs, in pieces of any size. */
export function framerTarget(open: () => FramerLike): Target {
  return {
    ends: ['goes on', 'holds some', 'breaks'],
    make: (chance: Chance, { pdus }: Seeds) =>
      Buffer.concat(Array.from({ length: 1 + chance(pdusMax) }, () => mutatePdu(chance, pdus))),
    run(stream, chance) {
      const expected = model(stream);
      compare(open().push(stream), expected, stream);
      const framer = open();
      const pieces: Frame[] = [];
      const isSingle = chance(singleOneIn) === 0 && stream.length < pduLengthMax;
      const most = chance(2) === 0 ? smallPiece : Math.max(piece, stream.length >> 3);
      for (let at = 0; at < stream.length;) {
        const size = isSingle ? 1 : 1 + chance(most);
        pieces.push(...framer.push(stream.subarray(at, at + size)));
        at += size;
        holds(framer.heldOctets < pduLengthMax, 'what is held is less than one PDU');
      }
      compare(pieces, expected, stream);
      holds(framer.heldOctets === (expected.isBroken ? 0 : expected.rest), 'what is held is what is left');
      holds(framer.push(stream).length === 0 || !expected.isBroken, 'nothing follows a fault');
      return expected.isBroken ? 'breaks' : expected.rest > 0 ? 'holds some' : 'goes on';
    },
  };
}

interface Model {
  readonly ends: readonly number[];
  readonly isBroken: boolean;
  readonly rest: number;
}

/** A simple framer for a complete stream, to compare results with (3.4 section 3.2). */
function model(stream: Buffer): Model {
  const ends: number[] = [];
  let at = 0;
  while (stream.length - at >= 4) {
    const length = stream.readUInt32BE(at);
    if (length < header || length > pduLengthMax) return { ends, isBroken: true, rest: 0 };
    if (length > stream.length - at) break;
    at += length;
    ends.push(at);
  }
  return { ends, isBroken: false, rest: stream.length - at };
}

function compare(frames: readonly Frame[], expected: Model, stream: Buffer): void {
  const count = expected.ends.length + (expected.isBroken ? 1 : 0);
  holds(frames.length === count, `${count} frames by command_length, not ${frames.length}`);
  let from = 0;
  frames.forEach((frame, index) => {
    const end = expected.ends[index];
    if ('fault' in frame) {
      holds(end === undefined, 'a fault comes last, and for a length that is not allowed');
      holds(frame.fault.kind === 'command_length' && frame.fault.command_status === 2, 'the fault is of the length');
      return;
    }
    holds(end !== undefined && stream.subarray(from, end).equals(frame.bytes), 'a frame is its piece of the stream');
    from = end ?? from;
  });
}

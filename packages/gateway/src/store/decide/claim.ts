import { ok } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { Claim, Claimed, ClaimedPart } from '../commands.ts';
import type { PartRow, QueueRow, Rows } from '../rows.ts';
import { claimPart } from './accept.ts';
import { leaveQueue } from './part.ts';
import { waitsWhole } from './whole.ts';

/** Takes waiting parts for a link, one from each account in turn, each account's own in order. */
export function decideClaim(rows: Rows, command: Claim): Result<Claimed, never> {
  const parts: ClaimedPart[] = [];
  let skipped = 0;
  const lists = rows.waiting.get(command.carrier) ?? [];
  for (let round = 0, taken = true; taken && parts.length < command.max; round++) {
    taken = false;
    for (const list of lists) {
      const row = list[round];
      if (!row) continue;
      taken = true;
      if (parts.length >= command.max) break;
      const part = take(rows, row, command);
      if (part) parts.push(part);
      else skipped += 1;
    }
  }
  return ok({ parts, nextDue: rows.nextDue.get(command.carrier) ?? null, skipped });
}

function take(rows: Rows, row: QueueRow, command: Claim): ClaimedPart | undefined {
  const message = rows.messages.get(row.message);
  const content = rows.contents.get(row.message);
  const part = message?.parts[row.part - 1];
  // An earlier command of this group may have ended or moved it.
  if (!message || !content || !part || !stillWaits(part, row)) return undefined;
  const isWhole = command.isWhole && waitsWhole(rows, part);
  const attempts = (isWhole ? message.parts : [part]).map((each) => {
    leaveQueue(rows, message, each);
    return claimPart(rows, each, { ...command, isWhole });
  });
  const [attempt] = attempts;
  if (!attempt) return undefined;
  return {
    message: message.id,
    number: attempt.part,
    attempt: attempt.number,
    sender: content.sender,
    receiver: content.receiver,
    encoding: content.encoding,
    dcs: content.dcs,
    text: content.text,
    numParts: message.numParts,
    reference: content.reference,
    expiresAt: message.expiresAt,
    isWhole,
  };
}

function stillWaits(part: PartRow, row: QueueRow): boolean {
  return part.state === 'queued' && part.due === row.due;
}

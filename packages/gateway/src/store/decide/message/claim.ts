import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { newTurns, TurnTaker } from '../../../core/routing/turns.ts';
import type { Claim, Claimed, ClaimedPart, QueuePlace } from '../../commands/commands.ts';
import { numbersOf } from '../../tables/rows.ts';
import type { MessageRow, PartRow, QueueRow, Rows } from '../../tables/rows.ts';
import { claimPart } from './accept.ts';
import { leavesToOthers, movesToHolder } from './fail-over.ts';
import { withdrawOptedOut } from '../number/opt-out.ts';
import { passDeadline } from './outcome.ts';
import { leaveQueue } from './part.ts';
import { waitsWhole } from './whole.ts';

/** Takes waiting parts for a link: urgent parts first, accounts in turn, the parts of each account in order. */
export function decideClaim(rows: Rows, command: Claim): Result<Claimed, never> {
  const parts: ClaimedPart[] = [];
  const moved = new Map<string, QueuePlace>();
  let skipped = 0;
  const { queues, turns } = rows.waiting.get(command.carrier) ?? { queues: [], turns: newTurns() };
  const taker = new TurnTaker(queues, turns);
  while (parts.length < command.max) {
    const row = taker.next();
    if (!row) break;
    const part = take(rows, row, { command, moved });
    if (part) parts.push(part);
    else skipped += 1;
  }
  const claimed = { parts, nextDue: rows.nextDue.get(command.carrier) ?? null, skipped, left: taker.left ?? null };
  return ok(moved.size === 0 ? claimed : { ...claimed, moved: [...moved.values()] });
}

interface Claiming {
  readonly command: Claim;
  /** Where parts went that this carrier may not have, by route and eligible carriers. */
  readonly moved: Map<string, QueuePlace>;
}

function take(rows: Rows, row: QueueRow, { command, moved }: Claiming): ClaimedPart | undefined {
  const message = rows.messages.get(row.message);
  const content = rows.contents.get(row.message);
  const part = message?.parts[row.part - 1];
  // An earlier command of this group may have ended or moved it.
  if (!message || !content || !part || !stillWaits(message, part, row)) return undefined;
  if (message.expiresAt <= command.at) {
    // `expire` has not reached this part yet; it must not be sent all the same.
    passDeadline(rows, part, command.at);
    return undefined;
  }
  if (withdrawOptedOut(rows, message, command.at)) return undefined;
  // Another carrier has parts of its message: this part waits for that carrier.
  if (movesToHolder(rows, message, { part, claimant: command.carrier })) return undefined;
  if (content.tlvs && leavesToOthers(rows, part, { tlvs: content.tlvs, claimant: command.carrier })) {
    const { route } = message;
    moved.set(`${route} ${part.eligible}`, { route, eligible: part.eligible });
    return undefined;
  }
  // Parts with different eligible carriers go one by one.
  const isWhole =
    command.isWhole && waitsWhole(rows, part) && message.parts.every((each) => each.eligible === part.eligible);
  const attempts = (isWhole ? message.parts : [part]).map((each) => {
    leaveQueue(rows, message, each);
    return claimPart(rows, each, { ...command, isWhole });
  });
  const [attempt] = attempts;
  if (!attempt) return undefined;
  const { sender, receiver } = numbersOf(rows, attempt);
  return {
    message: message.id,
    number: attempt.part,
    attempt: attempt.number,
    sender,
    receiver,
    encoding: content.encoding,
    dcs: content.dcs,
    text: content.text,
    numParts: message.numParts,
    reference: content.reference,
    ...(content.clientEncoded && { clientEncoded: content.clientEncoded }),
    ...(content.tlvs && { tlvs: content.tlvs }),
    flash: content.flash,
    expiresAt: message.expiresAt,
    isWhole,
    route: message.route,
    account: message.account,
    unitPrice: message.unitPrice,
  };
}

function stillWaits(message: MessageRow, part: PartRow, row: QueueRow): boolean {
  const isThere = part.due === row.due && part.eligible === row.eligible && message.route === row.route;
  return part.state === 'queued' && isThere;
}

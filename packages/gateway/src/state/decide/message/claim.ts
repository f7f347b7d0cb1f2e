/* Gives waiting parts to a link of a carrier. */

import { count } from '../../rows/totals.ts';
import { contentOf, type MessageContent, type SaidContent } from '../../../core/message/content.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { parseEligible } from '../../../core/routing/eligible.ts';
import { TurnTaker, newTurns } from '../../../core/routing/turns.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { unseal } from '../../rows/keys.ts';
import type { Reads, WaitingWanted } from '../../rows/reads.ts';
import { decodeContent } from '../../sealing/content.ts';
import {
  type LinkClaim,
  type AttemptRow,
  type MessageRow,
  type PartRow,
  type QueueRow,
  openAttempt,
} from '../../tables/message.ts';
import { type QueuePlace, leaveQueue, leaveUnsent, receiptDeadline } from './part.ts';
import { carrierById, placesOfRoute } from '../../tables/route.ts';
import { numbersOf, touch, type Rows } from '../../rows/rows.ts';
import { leavesToOthers, movesToHolder } from './fail-over.ts';
import { readOptOuts, withdrawOptedOut } from '../number/opt-out.ts';
import { waitsWhole } from './whole.ts';
import { passDeadline } from './deadline.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/**
 * Takes up to `max` waiting parts that the carrier may have, for one link: urgent parts first, accounts in turn. A
 * carrier has at most one claim under way.
 */
export interface Claim extends LinkClaim, WaitingWanted {}

export interface Claimed {
  readonly parts: readonly ClaimedPart[];
  /** When the next part that it may have is due, if one is left waiting. */
  readonly nextDue: Instant | null;
  /** Parts that were looked at and could not be taken: others may wait behind them. */
  readonly skipped: number;
  /** The best priority among due parts that were not taken; null if there are none. */
  readonly left: number | null;
  /** Where parts wait now that this carrier may not have. */
  readonly moved?: readonly QueuePlace[];
}

/** What a link needs to send a part, besides the octets that `packages/gsm` makes of the text. */
export interface ClaimedPart extends MessageContent {
  readonly message: MessageId;
  readonly number: number;
  readonly attempt: number;
  readonly expiresAt: Instant;
  /** One request carries all parts of its message. */
  readonly isWhole: boolean;
  /** What the cost depends on, and the margin. */
  readonly route: number;
  readonly account: number;
  readonly unitPrice: Micros;
}

export const claimCommand = {
  reads(read: Reads, command: Claim): void {
    for (const { parts } of read.waiting(command).queues) {
      for (const part of parts) {
        const message = read.message(part.message);
        if (!message) continue;
        // Whether this and other carriers pass on its extras was checked when the message was accepted.
        if (message.extras) {
          read.one(carrierById, command.carrier);
          read.values(placesOfRoute, message.route);
        }
        // The receiver of a waiting message may have opted out since.
        readOptOuts(read, message);
      }
    }
  },
  decide: decideClaim,
};

/** Claims waiting parts for a link: urgent parts first, accounts in turn, and the parts of one account in order. */
function decideClaim(rows: Rows, command: Claim): Result<Claimed, never> {
  const parts: ClaimedPart[] = [];
  const moved = new Map<string, QueuePlace>();
  let skipped = 0;
  const { queues, nextDue } = rows.waiting.get(command.carrier) ?? { queues: [], nextDue: null };
  const turns = newTurns(rows.turns.get(command.carrier));
  rows.turns.set(command.carrier, turns);
  const taker = new TurnTaker(queues, turns);
  while (parts.length < command.max) {
    const row = taker.next();
    if (!row) break;
    const part = take(rows, row, { command, moved });
    if (part) parts.push(part);
    else skipped += 1;
  }
  const claimed = { parts, nextDue, skipped, left: taker.left ?? null };
  return ok(moved.size === 0 ? claimed : { ...claimed, moved: [...moved.values()] });
}

interface Claiming {
  readonly command: Claim;
  /** Places in the queue of parts that were moved to other carriers, by route and eligible carriers. */
  readonly moved: Map<string, QueuePlace>;
}

function take(rows: Rows, row: QueueRow, { command, moved }: Claiming): ClaimedPart | undefined {
  const message = rows.messages.get(row.message);
  const part = message?.parts[row.part - 1];
  // An earlier command of the same commit may have ended or moved the part.
  if (!message || !part || !stillWaits(message, part, { row, claimant: command.carrier })) return undefined;
  if (message.expiresAt <= command.at) {
    // The part's validity has ended, and the `expire` command has not handled it yet.
    passDeadline(rows, part, command.at);
    return undefined;
  }
  if (withdrawOptedOut(rows, message, command.at)) return undefined;
  // If another carrier has parts of the message, this part waits for that carrier.
  if (movesToHolder(rows, message, { part, claimant: command.carrier })) return undefined;
  if (message.extras && leavesToOthers(rows, part, { extras: message.extras, claimant: command.carrier })) {
    const { route } = message;
    moved.set(`${route} ${part.eligible}`, { route, eligible: part.eligible });
    return undefined;
  }
  const content = contentIn(rows, message);
  if (!content) {
    // Its text was erased, so it can only end.
    leaveUnsent(rows, part, 'expired', command.at);
    return undefined;
  }
  // A message is sent whole only if all its parts have the same eligible carriers.
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
    ...contentOf({ ...message, ...content }),
    sender,
    receiver,
    expiresAt: message.expiresAt,
    isWhole,
    route: message.route,
    account: message.account,
    unitPrice: message.unitPrice,
  };
}

/** Undefined if it was erased. */
function contentIn(rows: Rows, { account, id, content }: MessageRow): SaidContent | undefined {
  const opened = content && unseal(rows, { account, column: 'message.content', id }, content);
  return opened ? decodeContent(opened) : undefined;
}

/** A claim of the same commit may have moved the part to this carrier. Later parts must not overtake it then (S6). */
function stillWaits(
  message: MessageRow,
  part: PartRow,
  { row, claimant }: { readonly row: QueueRow; readonly claimant: number },
): boolean {
  if (part.state !== 'queued' || part.due !== row.due || message.route !== row.route) return false;
  return part.eligible === row.eligible || parseEligible(part.eligible).holder === claimant;
}

/** Gives a waiting or new part to a link. The claim is on disk before the first octet of the part is sent (S1). */
export function claimPart(rows: Rows, part: PartRow, claim: LinkClaim & { readonly at: Instant }): AttemptRow {
  const message = rows.messages.get(part.message);
  if (!message) throw new Error('the message of a part is not loaded');
  count(rows, 'parts', part.state, -1);
  count(rows, 'parts', 'claimed', 1);
  part.state = 'claimed';
  part.changedAt = claim.at;
  // While a link has the part, the end of its validity is no deadline. Only the end of the wait for a receipt is.
  part.deadline = receiptDeadline(rows, message);
  part.attempts += 1;
  part.triedBy = claim.carrier;
  part.claim = { link: claim.link, lease: claim.lease, at: claim.at, isWhole: claim.isWhole && message.numParts > 1 };
  touch(part);
  const attempt = openAttempt(part);
  if (!attempt) throw new Error('a part was claimed without its claim');
  part.loaded.push(attempt);
  return attempt;
}

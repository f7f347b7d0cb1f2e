import { isFinal } from '../../../core/base/message.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { ReceiptRecorded, RecordReceipt } from '../../commands/receipt.ts';
import { numbersKey } from '../../tables/rows.ts';
import { readsTexts, sendsTextReceipts } from '../../tables/learning.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import type { Rows } from '../../tables/rows.ts';
import { seeDialect } from '../routing/dialect.ts';
import { decideInbound } from './inbound.ts';
import { numberOf } from '../number/inbound-route.ts';
import { doubtLearned, learnFrom, learningOf, seeMarkedReceipt, seeTextReceipt } from '../routing/learning.ts';
import { attemptNamed, attemptUnderOtherRules, isLong, partOf } from './attempt-named.ts';
import type { Named } from './attempt-named.ts';
import { park, settleDoubtsBetween } from './unmatched.ts';
import { settleAll } from './settle.ts';
import { soleDoubt } from './sole-doubt.ts';
import { partsOf } from './whole.ts';

/**
 * Matches a receipt to a part and changes the part's state. If the id is unknown, the receipt settles the only part in
 * doubt with the same sender and receiver. Otherwise it is stored as unmatched, because its submit_sm_resp may still
 * arrive (D1).
 *
 * If only the text looks like a receipt, sender and receiver must both match a message, because anybody can type such a
 * text (O4). It is an inbound message if the carrier is known to mark its receipts in esm_class.
 */
export function decideReceipt(rows: Rows, command: RecordReceipt): Result<ReceiptRecorded, never> {
  const { state, orInbound } = command;
  if (state === null) return leave(rows, command, 'unreadable');
  if (orInbound && !readsTexts(learningOf(rows, command.carrier))) {
    decideInbound(rows, orInbound);
    return ok({ became: 'inbound' });
  }
  if (orInbound) rows.node.lastMessageId = Math.max(rows.node.lastMessageId, orInbound.id);
  else seeMarkedReceipt(rows, command.carrier, command.at);
  const named = findAttempt(rows, command);
  if (named === undefined) return leave(rows, command, 'unknown');
  if (named === 'undecided') return leave(rows, command, named);
  const part = partOf(rows, named);
  const word = { state, errorCode: command.errorCode, at: command.at, orInbound: orInbound ?? null };
  const moved = settleAll(rows, partsOf(rows, part, named), word);
  if (orInbound) seeTextReceipt(rows, command.carrier);
  if (command.dialect) seeDialect(rows, command, named);
  learnFrom(rows, named, { receipt: command, at: command.at });
  return ok({ became: moved ? 'matched' : 'duplicate' });
}

function leave(rows: Rows, command: RecordReceipt, why: UnmatchedWhy): Result<ReceiptRecorded, never> {
  if (command.orInbound && isMessage(rows, command)) {
    decideInbound(rows, command.orInbound);
    return ok({ became: 'inbound' });
  }
  if (command.dialect) seeDialect(rows, command, undefined);
  park(rows, command, why);
  return ok({ became: 'unmatched' });
}

/**
 * Whether a text that looks like a receipt is an inbound message (O4). Three things must be true: the carrier is not
 * known to send receipts by text alone, no part to this receiver is in flight or in doubt, and the number belongs to an
 * account.
 */
function isMessage(rows: Rows, command: RecordReceipt): boolean {
  if (sendsTextReceipts(learningOf(rows, command.carrier))) return false;
  const key = numbersKey(command.carrier, command);
  const isOnItsWay = (rows.inFlightTo.get(key) ?? []).length > 0;
  const isInDoubt = (rows.inDoubtByNumbers.get(key) ?? []).some((attempt) => !isFinal(partOf(rows, attempt).state));
  return !isOnItsWay && !isInDoubt && numberOf(rows, command.sender) !== undefined;
}

function findAttempt(rows: Rows, command: RecordReceipt): Named {
  const named = attemptNamed(rows, command) ?? namedByAnotherRule(rows, command);
  if (named !== undefined) return named;
  settleDoubtsBetween(rows, numbersKey(command.carrier, command), command.at);
  return soleDoubt(rows, command);
}

/**
 * Matches a receipt by another id rule than the learned rule. This is needed if a carrier has several systems, or has
 * changed its ids. A long id with the right receiver is enough. A receipt with a short id waits until the other rule is
 * learned.
 */
function namedByAnotherRule(rows: Rows, command: RecordReceipt): Named {
  const learning = learningOf(rows, command.carrier);
  if (learning.rule !== 'auto' || learning.learned === null) return undefined;
  const attempt = attemptUnderOtherRules(rows, command);
  if (!attempt) return undefined;
  doubtLearned(rows, attempt, { receipt: command, at: command.at });
  return isLong(command) ? attempt : attemptNamed(rows, command);
}

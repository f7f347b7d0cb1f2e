import type { Account } from '../../core/account/account.ts';
import { eventOf } from '../../core/base/message.ts';
import { parseMessageId } from '../../core/base/message-id.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Reader } from '../../store/reader.ts';
import type { ReportView } from '../../store/views/message/messages.ts';
import type { Balance, MessageReport } from '../ports.ts';

/* Answers an account's queries about its messages and its balance, over HTTP and SMPP (query_sm). */

interface ReportNeeds {
  readonly reader: Pick<Reader, 'ask'>;
}

/** The fields of a message that query_sm and cancel_sm need. */
export type MessageStanding = Pick<ReportView, 'event' | 'eventAt' | 'errorCode' | 'sender' | 'receiver'>;

/** Finds a message of this account. A message of another account counts as unknown. */
export async function findMessage(
  { reader }: ReportNeeds,
  account: Account,
  { messageId, details = false }: { readonly messageId: string; readonly details?: boolean },
): Promise<Result<ReportView & { readonly id: MessageId }, Rejection>> {
  const id = parseMessageId(messageId);
  if (id === undefined) return refused({ code: 'message_not_found' });
  const found = await reader.ask('report', { account: account.id, id, details });
  if (!found.ok) return found;
  return found.value ? ok({ ...found.value, id }) : refused({ code: 'message_not_found' });
}

export async function reportMessage(
  needs: ReportNeeds,
  account: Account,
  wanted: { messageId: string; details: boolean },
): Promise<Result<MessageReport, Rejection>> {
  const found = await findMessage(needs, account, wanted);
  if (!found.ok) return found;
  const view = found.value;
  const parts = view.parts.map((part) => ({
    part: part.number,
    event: eventOf(part.state),
    dlrTime: part.changedAt,
    errorCode: part.errorCode ?? undefined,
  }));
  return ok({
    msgId: view.id,
    event: view.event,
    numParts: view.numParts,
    sendTime: view.dueAt,
    dlrTime: view.eventAt,
    errorCode: view.errorCode ?? undefined,
    clientRef: view.clientRef ?? undefined,
    parts: wanted.details ? parts : undefined,
  });
}

export async function reportBalance(needs: ReportNeeds, account: Account): Promise<Result<Balance, Rejection>> {
  const balance = await needs.reader.ask('balance', account.id);
  if (!balance.ok) return balance;
  if (balance.value === undefined) return refused({ code: 'unauthorized' });
  return ok({ clientBalance: balance.value, clientCurrency: account.currency });
}

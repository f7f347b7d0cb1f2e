import type { Account } from '../../core/account/account.ts';
import { parseMessageId } from '../../core/base/message-id.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { ReportView } from '../../store/views/message/messages.ts';
import type { Balance, Tools } from '../ports.ts';

/* Answers queries about messages and balances, over HTTP and SMPP (query_sm). */

export type MessageStanding = Pick<ReportView, 'event' | 'eventAt' | 'errorCode' | 'sender' | 'receiver'>;

/** A message of another account counts as unknown. */
export async function reportMessage(
  { reader }: Pick<Tools, 'reader'>,
  account: Account,
  { messageId, details = false }: { readonly messageId: string; readonly details?: boolean },
): Promise<Result<ReportView, Rejection>> {
  const id = parseMessageId(messageId);
  if (id === undefined) return refused({ code: 'message_not_found' });
  const found = await reader.ask('report', { account: account.id, id, details });
  if (!found.ok) return found;
  return found.value ? ok(found.value) : refused({ code: 'message_not_found' });
}

export async function reportBalance(
  needs: Pick<Tools, 'reader'>,
  account: Account,
): Promise<Result<Balance, Rejection>> {
  const balance = await needs.reader.ask('balance', account.id);
  if (!balance.ok) return balance;
  if (balance.value === undefined) return refused({ code: 'unauthorized' });
  return ok({ clientBalance: balance.value, clientCurrency: account.currency });
}

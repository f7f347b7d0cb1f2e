import type { Account } from '../../core/account/account.ts';
import { eventOf } from '../../core/base/message.ts';
import { parseMessageId } from '../../core/base/message-id.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Reader } from '../../store/reader.ts';
import type { Balance, DeliveryReport } from '../ports.ts';

interface ReportNeeds {
  readonly reader: Pick<Reader, 'ask'>;
}

/** How a message of this account stands; another account's message is as unknown as one that never was. */
export async function reportDelivery(
  needs: ReportNeeds,
  account: Account,
  wanted: { messageId: string; details: boolean },
): Promise<Result<DeliveryReport, Rejection>> {
  const id = parseMessageId(wanted.messageId);
  if (id === undefined) return refused({ code: 'message_not_found' });
  const found = await needs.reader.ask('delivery', { account: account.id, id, details: wanted.details });
  if (!found.ok) return found;
  const view = found.value;
  if (!view) return refused({ code: 'message_not_found' });
  return ok({
    msgId: id,
    event: view.event,
    numParts: view.numParts,
    sendTime: view.dueAt,
    dlrTime: view.eventAt,
    errorCode: view.errorCode ?? undefined,
    clientRef: view.clientRef ?? undefined,
    parts: wanted.details
      ? view.parts.map((part) => ({
          part: part.number,
          event: eventOf(part.state),
          dlrTime: part.changedAt,
          errorCode: part.errorCode ?? undefined,
        }))
      : undefined,
  });
}

export async function reportBalance(needs: ReportNeeds, account: Account): Promise<Result<Balance, Rejection>> {
  const balance = await needs.reader.ask('balance', account.id);
  if (!balance.ok) return balance;
  if (balance.value === undefined) return refused({ code: 'unauthorized' });
  return ok({ clientBalance: balance.value, clientCurrency: account.currency });
}

import type { Account } from '../../core/account/account.ts';
import type { MessageEvent } from '../../core/base/message.ts';
import { parseMessageId } from '../../core/base/message-id.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reader } from '../../store/reader.ts';

interface QueryNeeds {
  readonly reader: Pick<Reader, 'ask'>;
}

/** How a message stands, and between whom it goes: what query_sm asks, and cancel_sm before it cancels. */
export interface MessageStanding {
  readonly event: MessageEvent;
  readonly eventAt: Instant;
  readonly errorCode: string | null;
  readonly sender: string;
  readonly receiver: string;
}

/** How a message of this account stands; another account's message is as unknown as one that never was. */
export async function query(
  needs: QueryNeeds,
  account: Account,
  messageId: string,
): Promise<Result<MessageStanding, Rejection>> {
  const id = parseMessageId(messageId);
  if (id === undefined) return refused({ code: 'message_not_found' });
  const found = await needs.reader.ask('delivery', { account: account.id, id, details: false });
  if (!found.ok) return found;
  return found.value ? ok(found.value) : refused({ code: 'message_not_found' });
}

import type { Account } from '../../core/account/account.ts';
import { parseMessageId } from '../../core/base/message-id.ts';
import { refused } from '@morsel/api/values/result.ts';
import type { ResultOf } from '../../state/commands.ts';
import type { Tools } from '../ports.ts';

/** Cancels only parts that were not sent yet. Without an account, the message may belong to any account. */
export async function cancel(
  needs: Pick<Tools, 'clock' | 'journal'>,
  account: Account | undefined,
  messageId: string,
): Promise<ResultOf<'cancel'>> {
  const message = parseMessageId(messageId);
  if (message === undefined) return refused({ code: 'message_not_found' });
  const at = needs.clock.now();
  return needs.journal.append<'cancel'>({ kind: 'cancel', at, message, account: account?.id ?? null });
}

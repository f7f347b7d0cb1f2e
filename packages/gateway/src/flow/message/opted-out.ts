import type { Rejection } from '../../core/base/rejection.ts';
import type { Reader } from '../../store/reader.ts';

/**
 * The refusal for a receiver that has opted out, before anything is written: the commit of a message checks it again.
 */
export async function optedOut(needs: ReadingNeeds, message: Between): Promise<Rejection | undefined> {
  const { account, receiver, sender } = message;
  const found = await needs.reader.ask('optOutOf', { account, receiver, sender });
  if (!found.ok) return found.error;
  return found.value === undefined ? undefined : { code: 'receiver_opted_out', ofSender: found.value || null };
}

/**
 * The refusal that takes precedence: a message without a route or price never reaches the commit, where opt-outs are
 * checked. But an opted-out receiver must be refused as such first.
 */
export async function optedOutBefore(needs: ReadingNeeds, rejection: Rejection, message: Between): Promise<Rejection> {
  if (rejection.code !== 'no_route' && rejection.code !== 'no_price') return rejection;
  return (await optedOut(needs, message)) ?? rejection;
}

interface ReadingNeeds {
  readonly reader: Pick<Reader, 'ask'>;
}

interface Between {
  readonly account: number;
  readonly sender: string;
  readonly receiver: string;
}

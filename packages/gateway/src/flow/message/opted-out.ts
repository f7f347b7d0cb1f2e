import type { Rejection } from '../../core/base/rejection.ts';
import type { Reader } from '../../store/reader.ts';

/** Undefined if the receiver has not opted out. The commit of a message checks this again. */
export async function optedOut(needs: ReadingNeeds, message: Between): Promise<Rejection | undefined> {
  const { account, receiver, sender } = message;
  const found = await needs.reader.ask('optOutOf', { account, receiver, sender });
  if (!found.ok) return found.error;
  return found.value === undefined ? undefined : { code: 'receiver_opted_out', ofSender: found.value || null };
}

/** Replaces a rejection for a missing route or price, because such a message never reaches the commit's check. */
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

import type { Rejection } from '../../core/base/rejection.ts';
import type { Tools } from '../ports.ts';

/** Undefined if the receiver has not opted out. The commit of a message checks this again. */
export async function optedOut(needs: Pick<Tools, 'reader'>, message: Between): Promise<Rejection | undefined> {
  const { account, receiver, sender } = message;
  const found = await needs.reader.ask('optOutOf', { account, receiver, sender });
  if (!found.ok) return found.error;
  return found.value === undefined ? undefined : { code: 'receiver_opted_out', ofSender: found.value || null };
}

/** Replaces a rejection for a missing route or price: the commit, which checks opt-outs, never gets such a message. */
export async function optedOutBefore(
  needs: Pick<Tools, 'reader'>,
  rejection: Rejection,
  message: Between,
): Promise<Rejection> {
  if (rejection.code !== 'no_route' && rejection.code !== 'no_price') return rejection;
  return (await optedOut(needs, message)) ?? rejection;
}

interface Between {
  readonly account: number;
  readonly sender: string;
  readonly receiver: string;
}

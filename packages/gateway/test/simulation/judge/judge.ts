/*
 * The judge of a simulation. It knows only what outsiders saw and what the gateway tells anybody who asks, and nothing
 * of how the gateway works. Each sentence that it returns is a broken promise of ARCHITECTURE.md.
 */

import type { RefundPolicy } from '@morsel/api/values/account.ts';
import type { Sent } from '../clients.ts';
import type { Ear } from '../ear.ts';
import type { Deed } from '../operators.ts';
import type { Submit } from '../records.ts';
import type { SimCarrier } from '../carrier.ts';
import { judgeEnds } from './ends.ts';
import { judgeInbound } from './inbound.ts';
import { judgeMessages } from './messages.ts';
import { judgeMoney } from './money.ts';
import { judgeNotified } from './notified.ts';
import { judgeSubmits } from './submits.ts';
import type { Told } from './told.ts';

export interface Seen {
  readonly sent: readonly Sent[];
  readonly carriers: readonly SimCarrier[];
  readonly accounts: readonly SeenAccount[];
  /** Of one part, in micros. */
  readonly unitPrice: number;
  /** When the gateway crashed. */
  readonly crashes: readonly number[];
  /** From now on nothing went wrong any more, and nothing was under way. */
  readonly lastFrom: number;
  /** What operators asked for. */
  readonly deeds: readonly Deed[];
}

export interface SeenAccount {
  readonly id: number;
  readonly name: string;
  readonly refundPolicy: RefundPolicy;
  readonly ear: Ear;
}

/** A message with everything that carriers saw of it. Each message has a receiver of its own. */
export interface Case {
  readonly message: Sent;
  readonly name: string;
  /** The submits of each part, in the order in which they were sent. */
  readonly parts: ReadonlyMap<number, readonly Submit[]>;
}

/** Whether an operator may have done this to a receiver or a message. */
export function mayHave(deeds: readonly Deed[], operation: string, of: string): boolean {
  return deeds.some(
    (deed) => deed.operation === operation && deed.outcome !== 'refused' && Object.values(deed.given).includes(of),
  );
}

export function judge(seen: Seen, told: Told): string[] {
  const submits = seen.carriers
    .flatMap((carrier) => carrier.submits)
    .toSorted((one, other) => one.sentAt - other.sentAt);
  const byReceiver = Map.groupBy(submits, ({ receiver }) => receiver);
  const cases = seen.sent.map((message): Case => {
    const parts = Map.groupBy(byReceiver.get(message.receiver) ?? [], ({ place }) => place);
    return { message, name: `message ${message.number}`, parts };
  });
  return [
    ...cases.flatMap((each) => judgeSubmits(each)),
    ...cases.flatMap((each) => judgeMessages(each, seen, told)),
    ...cases.flatMap((each) => judgeEnds(each, seen, told)),
    ...judgeMoney(cases, seen, told),
    ...judgeInbound(seen, told),
    ...judgeNotified(seen, told),
  ];
}

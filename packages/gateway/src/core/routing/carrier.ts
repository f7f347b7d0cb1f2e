/* A carrier through which the gateway sends messages. */

import {
  kindOf,
  type CarrierKindName,
  type KindSettings,
  type SharedSettings,
} from '@morsel/api/admin/routing/carrier-kinds.ts';

export type InDoubtPolicy = SharedSettings['inDoubt'];
export type IdRule = SharedSettings['idRule'];

/** `paused`: bound and receiving receipts, but sending nothing. `drained`: links stay closed until resumed. */
export type CarrierStatus = 'active' | 'paused' | 'drained' | 'removed';

export interface CarrierOf<K extends CarrierKindName> extends SharedSettings {
  readonly id: number;
  readonly name: string;
  readonly status: CarrierStatus;
  readonly costList: number | null;
  /** The settings of its kind, with their secrets. */
  readonly settings: KindSettings<K>;
}

export type Carrier = CarrierOf<CarrierKindName>;

/** Whether two versions of a carrier connect and bind in the same way. If not, the links must bind again. */
export function bindsAlike(one: Carrier, other: Carrier): boolean {
  const [before, after] = [one, other].map(({ settings }) => JSON.stringify(kindOf(settings).connection(settings)));
  return before === after;
}

/** How often the policy `resend` sends a part in doubt again. Then it is held: the phone could get it many times. */
export const resendsMax = 2;

const firstResendMs = 30_000;

/** The wait for a late answer or receipt before a resend. `doubts` counts how often the part was in doubt. */
export function resendDelayMs(doubts: number): number {
  return firstResendMs * 4 ** (doubts - 1);
}

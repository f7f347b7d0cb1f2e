/* What outsiders of a simulation saw, for the judge. */

import type { RefundPolicy } from '@morsel/api/values/account.ts';
import type { SimCarrier } from '../carriers/carrier.ts';
import type { Sent } from '../clients/clients.ts';
import type { Ear } from '../clients/ear.ts';
import type { Deed } from '../operators/operators.ts';
import type { Got } from '../clients/smpp-clients.ts';
import type { SeenLimits } from './limits.ts';
import type { Submit } from '../carriers/records.ts';

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
  /** What sessions of clients got over SMPP. */
  readonly got: readonly Got[];
  /** The throughput of each carrier at the beginning, in parts a second of one link. */
  readonly throughputs: { readonly [carrier: string]: number };
  /** What each carrier's setting `inDoubt` was at the beginning. */
  readonly inDoubt: { readonly [carrier: string]: string };
  readonly limits: SeenLimits;
  /** How far the gateway's clocks may have differed from the time. Infinity: no matter how far. */
  readonly clockErrorMs: number;
  /** How far steps may have put the gateway's clock ahead. It holds messages after larger steps. */
  readonly aheadMs: number;
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

/** Whether an operator may have done this to anything. */
export function isAny(deeds: readonly Deed[], operation: string): boolean {
  return deeds.some((deed) => deed.operation === operation && deed.outcome !== 'refused');
}

/** Whether an operator may have done this to a receiver or a message. */
export function mayHave(deeds: readonly Deed[], operation: string, of: string): boolean {
  return deeds.some(
    (deed) => deed.operation === operation && deed.outcome !== 'refused' && Object.values(deed.given).includes(of),
  );
}

import type { CarrierProfile } from './carrier-profile.ts';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/** What happens to a part whose bytes went out and whose answer never came. */
export const inDoubtPolicies = ['resend', 'hold', 'fail'] as const;
export type InDoubtPolicy = (typeof inDoubtPolicies)[number];

/**
 * How the id in a carrier's submit_sm_resp and the id in its receipts compare. `same`: as text, without regard to case
 * and leading zeros of digits; `hex-answer`: the answer is hexadecimal and the receipt decimal; `hex-receipt`: the reverse;
 * `auto`: whichever of them its first receipts show.
 */
export const idRules = ['auto', 'same', 'hex-answer', 'hex-receipt'] as const;
export type IdRule = (typeof idRules)[number];

/** `paused`: bound, for receipts, and nothing is sent; `drained`: its links are down until it is resumed. */
export type CarrierStatus = 'active' | 'paused' | 'drained' | 'removed';

/** Who we send through, over one or more links of the same kind. */
export interface Carrier extends CarrierSettings {
  readonly id: number;
  readonly name: string;
  readonly status: CarrierStatus;
  /** The price list that says what it takes a part; null where nobody said. */
  readonly costList: number | null;
}

/** What the operator sets of a carrier. */
export interface CarrierSettings {
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  /** Of a receiver apart; null is as the transmitter's. */
  readonly receiverPassword: string | null;
  /** PEM: the key of `tlsCertificate`. */
  readonly tlsKey: string | null;
  readonly systemType: string;
  /** Requests in flight a link. */
  readonly window: number;
  /** submit_sm a second a link; 0 for no limit. */
  readonly throughput: number;
  readonly links: number;
  readonly inDoubt: InDoubtPolicy;
  readonly idRule: IdRule;
  readonly profile: CarrierProfile;
}

/** Whether what two settings of a carrier say at and before a bind is the same: if not, its links have to bind anew. */
export function bindsAlike(one: Carrier, other: Carrier): boolean {
  return JSON.stringify(bindOf(one)) === JSON.stringify(bindOf(other));
}

function bindOf({ profile, ...carrier }: Carrier): readonly unknown[] {
  const { host, port, systemId, password, receiverPassword, tlsKey, systemType } = carrier;
  const { bind, version, addressRange, receiverHost, receiverPort, receiverSystemId } = profile;
  const { tls, tlsServerName, tlsCa, tlsCertificate } = profile;
  return [
    [host, port, systemId, password, systemType, bind, version, addressRange, tls],
    bind === 'separate' && [receiverHost, receiverPort, receiverSystemId, receiverPassword],
    tls !== 'off' && [tlsServerName, tlsCa, tlsCertificate, tlsKey],
  ];
}

/** Times a part in doubt is sent again under `resend`; after that it is held, or a phone would get it again and again. */
export const resendsMax = 2;

const firstResendMs = 30_000;

/** How long a part waits after its `doubts`th doubt until it is sent again: a late answer or receipt may settle it first. */
export function resendDelayMs(doubts: number): number {
  return firstResendMs * 4 ** (doubts - 1);
}

/** Refuses settings that cannot be true together. */
export function checkCarrier<T extends CarrierSettings>(settings: T): Result<T, Rejection> {
  const { profile } = settings;
  const { backOffMinMs, backOffMaxMs } = profile;
  if (backOffMinMs > backOffMaxMs) {
    const detail = `the first wait would be ${backOffMinMs} ms, the longest ${backOffMaxMs} ms: lower the one or raise the other`;
    return together('backOffMaxMs', detail);
  }
  if (profile.version === '3.3' && profile.bind === 'transceiver') {
    return together('version', 'SMPP 3.3 has no transceiver: set bind to separate');
  }
  if (profile.version === '3.3' && (profile.extraTlvs.length > 0 || profile.longMessages !== 'udh')) {
    return together('version', 'SMPP 3.3 has no TLVs: long messages go by udh, and there are no extra TLVs');
  }
  if (profile.version === '3.3' && profile.passTlvs.length > 0) {
    return together('passTlvs', 'SMPP 3.3 has no optional parameters: leave pass-tlvs empty');
  }
  const apart = Object.entries(receiverOf(settings)).find(([, value]) => value !== null);
  if (profile.bind === 'transceiver' && apart) {
    return together(apart[0], 'there is no receiver apart: set bind to separate, or this to none');
  }
  if ((profile.tlsCertificate === null) !== (settings.tlsKey === null)) {
    return together('tlsKey', 'a certificate and its key are given together');
  }
  return ok(settings);
}

/** What is only of a receiver apart. */
function receiverOf({ profile, receiverPassword }: CarrierSettings): { readonly [field: string]: unknown } {
  const { receiverHost, receiverPort, receiverSystemId } = profile;
  return { receiverHost, receiverPort, receiverSystemId, receiverPassword };
}

function together(field: string, detail: string): { readonly ok: false; readonly error: Rejection } {
  return refused({ code: 'invalid_parameter', field, detail });
}

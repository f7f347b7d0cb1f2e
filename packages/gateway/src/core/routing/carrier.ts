/* A carrier through which the gateway sends messages: its settings, and which settings contradict each other. */

import type { settingFields } from '@morsel/api/admin/routing/kinds/smpp.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import type { CarrierProfile } from './carrier-profile.ts';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

type Settings = Values<typeof settingFields>;
export type InDoubtPolicy = Settings['inDoubt'];
export type IdRule = Settings['idRule'];

/** `paused`: bound and receiving receipts, but sending nothing. `drained`: links stay closed until resumed. */
export type CarrierStatus = 'active' | 'paused' | 'drained' | 'removed';

export interface Carrier extends CarrierSettings {
  readonly id: number;
  readonly name: string;
  readonly status: CarrierStatus;
  readonly costList: number | null;
}

export interface CarrierSettings extends Settings {
  readonly profile: CarrierProfile;
}

/** Whether two versions of a carrier connect and bind in the same way. If not, the links must bind again. */
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

/** How often the policy `resend` sends a part in doubt again. Then it is held: the phone could get it many times. */
export const resendsMax = 2;

const firstResendMs = 30_000;

/** The wait for a late answer or receipt before a resend. `doubts` counts how often the part was in doubt. */
export function resendDelayMs(doubts: number): number {
  return firstResendMs * 4 ** (doubts - 1);
}

/** Of a secret only counts whether it is set, so a secret may be encrypted here. */
interface CheckedSettings extends Pick<CarrierSettings, 'profile'> {
  readonly receiverPassword: string | Uint8Array | null;
  readonly tlsKey: string | Uint8Array | null;
}

export function checkCarrier<T extends CheckedSettings>(settings: T): Result<T, Rejection> {
  const { profile } = settings;
  const { backOffMinMs, backOffMaxMs } = profile;
  if (backOffMinMs > backOffMaxMs) {
    const detail = `the first wait (${backOffMinMs} ms) must not exceed the longest wait (${backOffMaxMs} ms): lower the first or raise the longest wait`;
    return together('backOffMaxMs', detail);
  }
  if (profile.version === '3.3' && profile.bind === 'transceiver') {
    return together('version', 'SMPP 3.3 has no transceiver: set bind to separate');
  }
  if (profile.version === '3.3' && (profile.extraTlvs.length > 0 || profile.longMessages !== 'udh')) {
    return together('version', 'SMPP 3.3 has no TLVs: set long-messages to udh, and leave extra-tlvs empty');
  }
  if (profile.version === '3.3' && profile.passTlvs.length > 0) {
    return together('passTlvs', 'SMPP 3.3 has no optional parameters: leave pass-tlvs empty');
  }
  const apart = Object.entries(receiverOf(settings)).find(([, value]) => value !== null);
  if (profile.bind === 'transceiver' && apart) {
    return together(apart[0], 'only a separate receiver has this setting: set bind to separate, or set this to none');
  }
  if ((profile.tlsCertificate === null) !== (settings.tlsKey === null)) {
    return together('tlsKey', 'a certificate and its key must be given together');
  }
  return ok(settings);
}

function receiverOf({ profile, receiverPassword }: CheckedSettings): { readonly [field: string]: unknown } {
  const { receiverHost, receiverPort, receiverSystemId } = profile;
  return { receiverHost, receiverPort, receiverSystemId, receiverPassword };
}

function together(field: string, detail: string): { readonly ok: false; readonly error: Rejection } {
  return refused({ code: 'invalid_parameter', field, detail });
}

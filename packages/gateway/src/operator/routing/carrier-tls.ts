import { tlsMaterialFault } from '@morsel/smpp';
import type { TlsMaterialFault } from '@morsel/smpp';
import type { CarrierSettings } from '../../core/routing/carrier.ts';
import { profileOf } from '../../core/routing/carrier-profile.ts';
import type { CarrierProfile } from '../../core/routing/carrier-profile.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { invalid } from '../fields.ts';

/* Certificates and keys are looked at when they are set: a link that works would go down for what can never be used. */

/** A change of a carrier: what is not in it stays as it is. */
export interface CarrierChange {
  /** All of the profile anew, from this preset. */
  readonly preset: string | undefined;
  readonly settings: Partial<Omit<CarrierSettings, 'profile'>>;
  readonly profile: Partial<CarrierProfile>;
  /** The name of a price list, or null for none. */
  readonly costList: string | null | undefined;
}

type TlsSettings = Pick<CarrierSettings, 'tlsKey' | 'profile'>;

/** Refuses certificates and a key with which no link could be made. */
export function checkTls<T extends TlsSettings>(settings: T): Result<T, Rejection> {
  const { profile, tlsKey: key } = settings;
  const { tlsCa: ca, tlsCertificate: cert } = profile;
  const fault = tlsMaterialFault({
    ...(ca !== null && { ca }),
    ...(cert !== null && { cert }),
    ...(key !== null && { key }),
  });
  if (fault === undefined) return ok(settings);
  const { field, detail } = faults[fault];
  return invalid(field, detail);
}

/** The same for a change; `before` is what stands. */
export function checkTlsChange<T extends CarrierChange>(
  change: T,
  before: TlsSettings | undefined,
): Result<T, Rejection> {
  const { settings, profile } = change;
  const isTouched =
    settings.tlsKey !== undefined || profile.tlsCa !== undefined || profile.tlsCertificate !== undefined;
  if (!before || !isTouched) return ok(change);
  const base = change.preset === undefined ? before.profile : profileOf(change.preset);
  const tlsKey = settings.tlsKey === undefined ? before.tlsKey : settings.tlsKey;
  const checked = checkTls({ tlsKey, profile: { ...base, ...profile } });
  return checked.ok ? ok(change) : checked;
}

const faults: { readonly [F in TlsMaterialFault]: { readonly field: string; readonly detail: string } } = {
  ca_unreadable: {
    field: 'tlsCa',
    detail: 'it holds no certificate that can be read: give that of the authority of the carrier, in PEM',
  },
  cert_unreadable: {
    field: 'tlsCertificate',
    detail: 'it holds no certificate that can be read: give ours in PEM, and see that it is not the key',
  },
  key_missing: { field: 'tlsKey', detail: 'a certificate needs its key: give both together' },
  cert_missing: {
    field: 'tlsCertificate',
    detail: 'a key needs its certificate: give both together, or take both away',
  },
  key_unreadable: {
    field: 'tlsKey',
    detail:
      'it holds no key that can be read: give it in PEM and without a passphrase, and see that it is not the certificate',
  },
  key_of_another: {
    field: 'tlsKey',
    detail: 'it is the key of another certificate than ours: give the two that belong together',
  },
  unusable: {
    field: 'tlsCertificate',
    detail: 'it cannot be used with its key: they may be too weak or of an old kind',
  },
};

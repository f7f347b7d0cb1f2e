import { tlsMaterialFault } from '@morsel/smpp';
import type { TlsMaterialFault } from '@morsel/smpp';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { CarrierSettings } from '../../core/routing/carrier.ts';
import { invalid } from '../fields.ts';

/** Refuses certificates and keys that no link could use, because they would end a working link. */
export function checkTls<T extends Pick<CarrierSettings, 'tlsKey' | 'profile'>>(settings: T): Result<T, Rejection> {
  const { profile, tlsKey: key } = settings;
  const { tlsCa: ca, tlsCertificate: cert } = profile;
  const fault = tlsMaterialFault({
    ...(ca !== null && { ca }),
    ...(cert !== null && { cert }),
    ...(key !== null && { key }),
  });
  return fault === undefined ? ok(settings) : faults[fault];
}

const faults: { readonly [F in TlsMaterialFault]: Result<never, Rejection> } = {
  ca_unreadable: invalid(
    'tlsCa',
    'must be a certificate that can be read: give the PEM of the authority of the carrier',
  ),
  cert_unreadable: invalid('tlsCertificate', 'must be a certificate that can be read: give ours in PEM, not the key'),
  key_missing: invalid('tlsKey', 'must be given with its certificate: give both together'),
  cert_missing: invalid('tlsCertificate', 'must be given with its key: give both together, or remove both'),
  key_unreadable: invalid(
    'tlsKey',
    'must be a key that can be read: give PEM without a passphrase, not the certificate',
  ),
  key_of_another: invalid('tlsKey', 'must not be the key of another certificate: give the two that belong together'),
  unusable: invalid('tlsCertificate', 'must be usable with its key: both may be too weak, or of an old kind'),
};

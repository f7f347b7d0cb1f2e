import { tlsMaterialFault, type TlsMaterialFault } from '@morsel/smpp';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import type { SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';

/**
 * Refuses certificates and keys with which no link could connect. Without this check, a slip would end the links of a
 * carrier that works.
 */
export function checkTls({ profile, tlsKey: key }: SmppSettings): Result<null, Rejection> {
  const { tlsCa: ca, tlsCertificate: cert } = profile;
  const fault = tlsMaterialFault({
    ...(ca !== null && { ca }),
    ...(cert !== null && { cert }),
    ...(key !== null && { key }),
  });
  return fault === undefined ? ok(null) : faults[fault];
}

const faults: { readonly [F in TlsMaterialFault]: Result<never, Rejection> } = {
  ca_unreadable: invalid(
    'tlsCa',
    'must be a readable certificate in PEM: give the certificate of the authority that signed the carrier certificate',
  ),
  cert_unreadable: invalid(
    'tlsCertificate',
    'must be a readable certificate in PEM: give the certificate of this gateway, not the key',
  ),
  key_missing: invalid('tlsKey', 'must be given together with the certificate'),
  cert_missing: invalid('tlsCertificate', 'must be given together with the key: give both, or remove both'),
  key_unreadable: invalid(
    'tlsKey',
    'must be a readable key in PEM without a passphrase: give the key, not the certificate',
  ),
  key_of_another: invalid('tlsKey', 'must be the key of the given certificate, but belongs to another certificate'),
  unusable: invalid(
    'tlsCertificate',
    'must be usable with its key: the certificate or the key may be too weak or of an old type',
  ),
};

import type { ConnectError, TlsNeed } from '@morsel/smpp';

/* What `carrier show` says of a link that is not bound: what happened, and what to do about it. */

/** What to set where the other end's TLS is not as we want it, or ours not as it does. */
const tlsAdvice: { readonly [N in TlsNeed]: string } = {
  ca: 'give that of the carrier with --tls-ca-file',
  cert: 'give it with --tls-certificate-file and --tls-key-file',
  servername: 'give the name that the carrier has with --tls-server-name',
};

/** Why a link could not be bound. */
export function wordsOf(error: ConnectError): string {
  return error.tlsNeed === undefined ? error.message : `${error.message}: ${tlsAdvice[error.tlsNeed]}`;
}

import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import type { ConnectionOptions, TlsOptions } from 'node:tls';

/** SMPP over TLS, as the two ends of a connection set it up, and what went wrong in words. */

/** One certificate, key or chain of certificates. */
export type Pem = string | Buffer;

export type ClientTls = {
  /** The authorities that the carrier's certificate may come from, in place of the system's. */
  readonly ca?: Pem;
  /** Our own certificate and its key, for a carrier that asks for them. */
  readonly cert?: Pem;
  readonly key?: Pem;
  /** The name that the certificate has to be for. Default: the host. */
  readonly servername?: string;
  /** false takes any certificate: whoever sits between can then read and change everything. Default true. */
  readonly verify?: boolean;
};

export type ServerTls = {
  readonly cert: Pem;
  readonly key: Pem;
  /** The authorities that a client's certificate may come from. */
  readonly ca?: Pem;
  /** Clients without a certificate from one of `ca` are turned away. Default false. */
  readonly requestClientCertificate?: boolean;
};

/** What node:tls is told of a client. Throws what it throws for a certificate or key that it cannot read. */
export function clientTlsOptions(tls: ClientTls, host: string): ConnectionOptions {
  const { ca, cert, key, servername: name = host, verify = true } = tls;
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    // A server name must not be an address (RFC 6066 section 3); the certificate may be for one all the same.
    ...(isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    rejectUnauthorized: verify,
  };
}

/** What node:tls is told of a server. */
export function serverTlsOptions(tls: ServerTls): TlsOptions {
  const { cert, key, ca, requestClientCertificate = false } = tls;
  return {
    cert,
    key,
    ...(ca !== undefined && { ca }),
    requestCert: requestClientCertificate,
    rejectUnauthorized: requestClientCertificate,
  };
}

/**
 * What is wrong with our own certificates and key, as a sentence; undefined when they can be used. For whoever takes them
 * from an operator: node:tls says nothing of an authority that it cannot read.
 */
export function tlsMaterialProblem(tls: ClientTls | ServerTls): string | undefined {
  const { ca, cert, key } = tls;
  if (ca !== undefined && !isCertificate(ca)) return 'the authority (ca) is not a certificate in PEM';
  if (cert !== undefined && !isCertificate(cert)) return 'our certificate is not one in PEM';
  if (cert !== undefined && key === undefined) return 'our certificate has no key';
  if (cert === undefined && key !== undefined) return 'our key has no certificate';
  try {
    createSecureContext({ ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) });
    return undefined;
  } catch (error) {
    return codeOf(error) === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'
      ? 'our key does not belong to our certificate'
      : 'our key is not one in PEM without a passphrase';
  }
}

function isCertificate(pem: Pem): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** By the codes of node:tls and OpenSSL. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ...all("its certificate comes from an authority that we do not know: give the carrier's as ca", [
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_UNTRUSTED',
  ]),
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name than the one we asked for',
  HOSTNAME_MISMATCH: 'its certificate is for another name than the one we asked for',
  CERT_HAS_EXPIRED: 'its certificate has expired, or our clock is fast',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet, or our clock is slow',
  CERT_REVOKED: 'its certificate was revoked',
  CERT_REJECTED: 'its certificate may not be used for this',
  INVALID_PURPOSE: 'its certificate may not be used for this',
  INVALID_CA: 'its certificate was signed by one that is no authority',
  CERT_SIGNATURE_FAILURE: 'the signature of its certificate is wrong',
  CERT_CHAIN_TOO_LONG: 'its chain of certificates is too long',
  PATH_LENGTH_EXCEEDED: 'its chain of certificates is too long',
  ...all('it does not speak TLS on this port', [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'ERR_SSL_HTTP_REQUEST',
  ]),
  ...all('it speaks no version of TLS that we take (1.2 and newer)', [
    'ERR_SSL_UNSUPPORTED_PROTOCOL',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  ]),
  ERR_SSL_SSL_TLS_ALERT_HANDSHAKE_FAILURE: 'it found no way of encryption that both sides take',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'it found no way of encryption that both sides take',
  ...all('it asks for a certificate of ours: give cert and key', [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED',
  ]),
  ...all('it does not take our certificate', [
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSL_TLS_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN',
    'ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
    'ERR_SSL_TLSV1_ALERT_ACCESS_DENIED',
  ]),
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'it does not know the name that we asked for: give another servername',
};

/** What is wrong with the other end's TLS, as a sentence; undefined for an error that is not about TLS. */
export function tlsProblem(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  return PROBLEMS[code] ?? (/^(ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO$)/.test(code) ? `TLS failed (${code})` : undefined);
}

/** The code of an error of Node's. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function all(problem: string, codes: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(codes.map((code) => [code, problem]));
}

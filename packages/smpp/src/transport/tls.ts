import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import type { ConnectionOptions, TlsOptions } from 'node:tls';

/** SMPP over TLS, as the two ends of a connection set it up, and what went wrong in words. */

/** One certificate, key or chain of certificates. */
export type Pem = string | Buffer;

export interface ClientTls {
  /** The authorities that the carrier's certificate may come from, in place of the system's. */
  readonly ca?: Pem;
  /** Our own certificate and its key, for a carrier that asks for them. */
  readonly cert?: Pem;
  readonly key?: Pem;
  /** The name that the certificate has to be for. Default: the host. */
  readonly servername?: string;
  /** false takes any certificate: whoever sits between can then read and change everything. Default true. */
  readonly verify?: boolean;
}

export interface ServerTls {
  readonly cert: Pem;
  readonly key: Pem;
  /** The authorities that a client's certificate may come from. */
  readonly ca?: Pem;
  /** Clients without a certificate from one of `ca` are turned away. Default false. */
  readonly requestClientCertificate?: boolean;
}

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

const faults = {
  ca_unreadable: 'the authority (ca) is not a certificate in PEM',
  cert_unreadable: 'our certificate is not one in PEM',
  key_missing: 'our certificate has no key',
  cert_missing: 'our key has no certificate',
  key_unreadable: 'our key is not one in PEM without a passphrase',
  key_of_another: 'our key does not belong to our certificate',
  unusable: 'our certificate or its key cannot be used: they may be too weak',
} as const;

/** What can be wrong with our own certificates and key. */
export type TlsMaterialFault = keyof typeof faults;

/**
 * What is wrong with our own certificates and key; undefined when they can be used. For whoever takes them from an operator:
 * node:tls says nothing of an authority that it cannot read.
 */
export function tlsMaterialFault(tls: ClientTls | ServerTls): TlsMaterialFault | undefined {
  const { ca, cert, key } = tls;
  if (ca !== undefined && !isCertificate(ca)) return 'ca_unreadable';
  if (cert !== undefined && !isCertificate(cert)) return 'cert_unreadable';
  if (cert !== undefined && key === undefined) return 'key_missing';
  if (cert === undefined && key !== undefined) return 'cert_missing';
  if (key !== undefined && !isKey(key)) return 'key_unreadable';
  try {
    createSecureContext({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
    return undefined;
  } catch (error) {
    return codeOf(error) === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' ? 'key_of_another' : 'unusable';
  }
}

/** The same as a sentence. */
export function tlsMaterialProblem(tls: ClientTls | ServerTls): string | undefined {
  const fault = tlsMaterialFault(tls);
  return fault && faults[fault];
}

function isCertificate(pem: Pem): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function isKey(pem: Pem): boolean {
  try {
    return createPrivateKey(pem).type === 'private';
  } catch {
    return false;
  }
}

const unknownAuthority = [
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
];
const otherName = ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'];
const noCertificate = ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED'];

/** By the codes of node:tls and OpenSSL. */
const problems: Readonly<Record<string, string>> = {
  ...all('its certificate comes from an authority that we do not know', unknownAuthority),
  ...all('its certificate is for another name than the one we asked for', otherName),
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
  ...all('it asks for a certificate of ours', noCertificate),
  ...all('it does not take our certificate', [
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSL_TLS_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN',
    'ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
    'ERR_SSL_TLSV1_ALERT_ACCESS_DENIED',
  ]),
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'it does not know the name that we asked for',
};

const needs: Readonly<Record<string, TlsNeed>> = {
  ...all('ca', unknownAuthority),
  ...all('servername', [...otherName, 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME']),
  ...all('cert', noCertificate),
};

export type TlsNeed = 'ca' | 'cert' | 'servername';

/** The option of ClientTls that has to be given, or given otherwise, where that is known. */
export function tlsNeed(error: unknown): TlsNeed | undefined {
  return needs[codeOf(error) ?? ''];
}

/** What is wrong with the other end's TLS, as a sentence; undefined for an error that is not about TLS. */
export function tlsProblem(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  return problems[code] ?? (/^(ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO$)/.test(code) ? `TLS failed (${code})` : undefined);
}

/** The code of an error of Node's. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function all<T extends string>(value: T, codes: readonly string[]): Readonly<Record<string, T>> {
  return Object.fromEntries(codes.map((code) => [code, value]));
}

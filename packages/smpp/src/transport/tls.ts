import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type ConnectionOptions, type TlsOptions } from 'node:tls';

/*
 * TLS for SMPP clients and servers: options, checks of our certificates, and readable messages for TLS errors.
 */

/** A certificate, a key or a chain of certificates. */
export type Pem = string | Buffer;

export interface ClientTls {
  /**
   * The certificate authorities that we trust to sign the carrier's certificate. Default: the authorities that the
   * system trusts.
   */
  readonly ca?: Pem;
  /** Our certificate (`cert`) and its key (`key`), for carriers that require client certificates. */
  readonly cert?: Pem;
  readonly key?: Pem;
  /** The host name that the carrier's certificate must contain. Default: `host` of the connection. */
  readonly servername?: string;
  /**
   * If false, any certificate is accepted. An attacker on the network can then read and change all messages. Default:
   * true.
   */
  readonly verify?: boolean;
}

export interface ServerTls {
  readonly cert: Pem;
  readonly key: Pem;
  /** The certificate authorities that we trust to sign client certificates. */
  readonly ca?: Pem;
  /** Whether to refuse clients that have no certificate from the authorities in `ca`. Default: false. */
  readonly requestClientCertificate?: boolean;
}

/**
 * Returns the options of node:tls for a client. With these options, node:tls throws if it cannot read a certificate or
 * key.
 */
export function clientTlsOptions(tls: ClientTls, host: string): ConnectionOptions {
  const { ca, cert, key, servername: name = host, verify = true } = tls;
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    // In the TLS handshake the server name must not be an IP address (RFC 6066 section 3), although a certificate may
    // contain one.
    ...(isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    rejectUnauthorized: verify,
  };
}

/** Returns the options of node:tls for a server. */
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
  ca_unreadable: 'the certificate of the authority (ca) is not in PEM format',
  cert_unreadable: 'our certificate is not in PEM format',
  key_missing: 'our certificate is set without its key',
  cert_missing: 'our key is set without its certificate',
  key_unreadable: 'our key must be in PEM format and without a passphrase',
  key_of_another: 'our key does not belong to our certificate',
  unusable: 'our certificate or its key cannot be used; they may be too weak',
} as const;

/** The possible faults of our certificates and our key. */
export type TlsMaterialFault = keyof typeof faults;

/**
 * Returns the fault of our certificates and key; undefined if they can be used. Call this function when an operator
 * sets certificates, because node:tls silently ignores an authority (`ca`) that it cannot read.
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

/** Returns the fault of our certificates and key as a readable text; undefined if they can be used. */
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

/** Readable messages for the error codes of node:tls and OpenSSL. */
const problems: Readonly<Record<string, string>> = {
  ...all("the peer's certificate comes from an unknown authority", unknownAuthority),
  ...all("the peer's certificate does not have the name that we connect to", otherName),
  CERT_HAS_EXPIRED: "the peer's certificate has expired, or our clock is fast",
  CERT_NOT_YET_VALID: "the peer's certificate is not valid yet, or our clock is slow",
  CERT_REVOKED: "the peer's certificate was revoked",
  CERT_REJECTED: "the peer's certificate is not valid for this purpose",
  INVALID_PURPOSE: "the peer's certificate is not valid for this purpose",
  INVALID_CA: "the peer's certificate was signed by a certificate that is not an authority",
  CERT_SIGNATURE_FAILURE: "the signature of the peer's certificate is wrong",
  CERT_CHAIN_TOO_LONG: "the peer's certificate chain is too long",
  PATH_LENGTH_EXCEEDED: "the peer's certificate chain is too long",
  ...all('the peer does not speak TLS on this port', [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'ERR_SSL_HTTP_REQUEST',
  ]),
  ...all('the peer does not support TLS 1.2 or newer', [
    'ERR_SSL_UNSUPPORTED_PROTOCOL',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  ]),
  ERR_SSL_SSL_TLS_ALERT_HANDSHAKE_FAILURE: 'the peer found no cipher that both sides support',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'the peer found no cipher that both sides support',
  ...all('the peer requires a certificate from us', noCertificate),
  ...all('the peer does not accept our certificate', [
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSL_TLS_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN',
    'ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE',
    'ERR_SSL_TLSV1_ALERT_ACCESS_DENIED',
  ]),
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'the peer does not know the name that we connect to',
};

const needs: Readonly<Record<string, TlsNeed>> = {
  ...all('ca', unknownAuthority),
  ...all('servername', [...otherName, 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME']),
  ...all('cert', noCertificate),
};

export type TlsNeed = 'ca' | 'cert' | 'servername';

/** Returns the option of ClientTls that must be set or changed after this error; undefined if it is not known. */
export function tlsNeed(error: unknown): TlsNeed | undefined {
  return needs[codeOf(error) ?? ''];
}

/** Returns a readable message for a TLS error; undefined for other errors. */
export function tlsProblem(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  return problems[code] ?? (/^(ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO$)/.test(code) ? `TLS failed (${code})` : undefined);
}

/** Returns the `code` of a Node.js error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function all<T extends string>(value: T, codes: readonly string[]): Readonly<Record<string, T>> {
  return Object.fromEntries(codes.map((code) => [code, value]));
}

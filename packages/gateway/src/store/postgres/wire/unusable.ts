/* Why a database cannot be used, for the operator. Only a fault's code is shown: its text may quote the URL. */

import { StoreRefused } from '../../../state/sealing/refused.ts';
import { isWithoutTls, sqlStateOf } from './connection.ts';

/** The parts of a database's URL that an operator may see. */
export function placeOfUrl(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const database = decodeURIComponent(pathname.slice(1));
  return `the PostgreSQL database ${database === '' ? '(of the user)' : database} at ${host === '' ? 'localhost' : host}${port === '' ? '' : `:${port}`}`;
}

const withoutTls = 'the server has no TLS: set up TLS at the server, or remove sslmode from the URL';
const unknownAuthority =
  'the certificate of the server is not signed by the authority in sslrootcert: check that file, and the ssl_cert_file of the server';

/** Reasons by SQLSTATE (appendix A of PostgreSQL's manual), or by the code of the operating system or Node. */
const reasons: { readonly [code: string]: string } = {
  ECONNREFUSED: 'no server listens there: check that it runs, and the host and the port',
  ENOENT: 'no server listens there: check that it runs, and its socket folder',
  ENOTFOUND: 'the host is unknown: check its name; / and @ in a password must be percent-encoded in the URL',
  EAI_AGAIN: 'the name of the host cannot be looked up now: check the DNS of this machine',
  ETIMEDOUT: 'the server does not answer: check the network and the firewall',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  CERT_HAS_EXPIRED: 'the certificate of the server has expired: renew it, and check the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the server is for another host: use a name of the certificate in the URL, or sslmode=verify-ca',
  '25006': 'it is read-only: use the primary, or turn default_transaction_read_only off',
  '28P01': 'the password is wrong',
  '28000': 'the server does not let this user in from here: check the user, and pg_hba.conf of the server',
  '3D000': 'there is no such database: create it as docs/nodes.md says',
  '42501': 'the user may not use its tables: make the user the owner of the database',
  '53300': 'the server has no connection left: raise its max_connections',
  '57P03': 'the server is starting or stopping: try again',
};

export function whyUnusable(url: string, fault: unknown): string {
  if (fault instanceof StoreRefused) return fault.message;
  const code = codeOf(fault);
  const reason = reasons[code] ?? (isWithoutTls(fault) ? withoutTls : undefined);
  const advice = reason ?? 'check that the server runs and that MORSEL_DATABASE_URL is right';
  return `${placeOfUrl(url)} cannot be used (${code}): ${advice}`;
}

function codeOf(fault: unknown): string {
  const state = sqlStateOf(fault);
  if (state !== undefined) return state;
  if (!(fault instanceof Error)) return 'unknown fault';
  if ('code' in fault) return String(fault.code);
  return fault.cause instanceof Error ? codeOf(fault.cause) : fault.name;
}

/*
 * TLS as PostgreSQL's clients mean it (its manual, 34.19): `sslmode`, `sslrootcert`, `sslcert` and `sslkey` in the URL.
 * They are not passed to `pg`, which gives some of them another meaning. Without `sslmode`, TLS is not used.
 */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkServerIdentity, createSecureContext, rootCertificates, type ConnectionOptions } from 'node:tls';
import { StoreRefused } from '../../../state/sealing/refused.ts';

/** The TLS options of one try to connect; false for a try without TLS. */
export type Try = ConnectionOptions | false;

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;

export interface Tries {
  readonly url: string;
  /** The tries in order. The next one is made if the server refuses the TLS of the one before. */
  readonly tries: readonly Try[];
}

/** Reads the TLS options of a URL. Throws `StoreRefused` if a value or a file cannot be used. */
export function triesOf(url: string): Tries {
  const parsed = new URL(url);
  const query = parsed.searchParams;
  const asked = query.get('sslmode') ?? 'disable';
  const mode = modes.find((each) => each === asked);
  if (!mode) throw new StoreRefused(`sslmode of MORSEL_DATABASE_URL must be ${modes.join(', ')}`);
  const [root, cert, key] = [rootOf(query, mode), fileOf(query, 'sslcert'), fileOf(query, 'sslkey')];
  const host = query.get('host') ?? decodeURIComponent(parsed.hostname);
  for (const name of parameters) query.delete(name);
  const plain = { url: parsed.href, tries: [false] as const };
  // A Unix socket has no TLS.
  if (mode === 'disable' || host.startsWith('/')) return plain;
  const tls: ConnectionOptions = {
    ...(cert && { cert }),
    ...(key && { key }),
    ...(root && { ca: root }),
    // If root certificates are given, the server's certificate is verified in every mode.
    rejectUnauthorized: root !== undefined,
    checkServerIdentity: (_name, its) => (mode === 'verify-full' ? checkServerIdentity(host, its) : undefined),
  };
  checkFiles(tls);
  const tries: { readonly [M in Exclude<typeof mode, 'disable'>]: readonly Try[] } = {
    allow: [false, tls],
    prefer: [tls, false],
    require: [tls],
    'verify-ca': [tls],
    'verify-full': [tls],
  };
  return { ...plain, tries: tries[mode] };
}

/** The root certificates; undefined if nothing is verified. */
function rootOf(query: URLSearchParams, mode: string): string | undefined {
  const name = query.get('sslrootcert');
  if (name === 'system') {
    if (mode === 'verify-full') return rootCertificates.join('\n');
    throw new StoreRefused('sslrootcert=system of MORSEL_DATABASE_URL needs sslmode=verify-full');
  }
  const usual = join(homedir(), '.postgresql', 'root.crt');
  if (name !== null) return fileOf(query, 'sslrootcert');
  if (existsSync(usual)) return readFileSync(usual, 'utf8');
  if (!mode.startsWith('verify')) return undefined;
  throw new StoreRefused(
    `sslmode=${mode} of MORSEL_DATABASE_URL needs the file of the authority that signed the certificate of the server: add sslrootcert=FILE to the URL`,
  );
}

function fileOf(query: URLSearchParams, name: (typeof parameters)[number]): string | undefined {
  const file = query.get(name);
  if (file === null) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new StoreRefused(`the file of ${name} in MORSEL_DATABASE_URL cannot be read: ${file}`);
  }
}

function checkFiles(tls: ConnectionOptions): void {
  try {
    createSecureContext(tls);
  } catch {
    throw new StoreRefused(
      'the files of sslrootcert, sslcert and sslkey in MORSEL_DATABASE_URL must be PEM, and the key must be that of the certificate',
    );
  }
}

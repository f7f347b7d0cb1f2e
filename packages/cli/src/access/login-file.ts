import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultCode } from '@morsel/gateway/core/base/fault-code.ts';
import { userFolder, type Environment } from '@morsel/gateway/config.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

/* The file of `morsel login`: the gateway that commands call, and the operator's key. Only the user can read it. */

export interface Login {
  /** The URL of the gateway, without a slash at the end. */
  readonly url: string;
  readonly key: string;
  /** The certificate of the authority that signed the gateway's certificate, in PEM. */
  readonly ca?: string;
}

const ownerOnly = 0o600;
const others = 0o077;

export function loginFile(environment: Environment): string {
  return join(userFolder(environment), 'login.json');
}

/** Returns undefined if there is no login. */
export function readLogin(environment: Environment): Result<Login | undefined, string> {
  const file = loginFile(environment);
  try {
    if ((statSync(file).mode & others) !== 0) return refused(`other users can read ${file}: protect it with chmod 600`);
    const { url, key, ca }: { url?: unknown; key?: unknown; ca?: unknown } = Object(
      JSON.parse(readFileSync(file, 'utf8')),
    );
    if (typeof url === 'string' && typeof key === 'string') {
      return ok({ url, key, ...(typeof ca === 'string' ? { ca } : {}) });
    }
    return refused(`${file} has no login: use morsel login again`);
  } catch (fault) {
    const code = faultCode(fault, 'no JSON');
    return code === 'ENOENT' ? ok(undefined) : refused(`${file} cannot be read (${code}): use morsel login again`);
  }
}

export function writeLogin(environment: Environment, login: Login): void {
  const file = loginFile(environment);
  mkdirSync(userFolder(environment), { recursive: true, mode: 0o700 });
  rmSync(`${file}.new`, { force: true });
  // With the flag `wx`, writing fails if a symbolic link has this name.
  writeFileSync(`${file}.new`, `${JSON.stringify(login)}\n`, { mode: ownerOnly, flag: 'wx' });
  chmodSync(`${file}.new`, ownerOnly);
  renameSync(`${file}.new`, file);
}

/** Returns false if there was no login. */
export function removeLogin(environment: Environment): boolean {
  const file = loginFile(environment);
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  rmSync(file, { force: true });
  return isThere;
}

export async function trustAlso(ca: string): Promise<void> {
  // node:tls is loaded here and not above: loading takes some 15 ms, and most commands call a gateway on this machine,
  // without TLS.
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls');
  const known = getCACertificates('default');
  if (!known.includes(ca)) setDefaultCACertificates([...known, ca]);
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setUp, type Account } from './set-up.ts';
import type { GatewayProcess } from '../support/gateway/gateway-process.ts';

/** The number of the account, without its plus. */
export const ours = '41791112233';

export const login = { systemId: 'client', password: 'Right-1' } as const;

/** Adds an account that sends and receives over SMPP, and a carrier. */
export async function setUpClient(
  program: GatewayProcess,
  carrier: { readonly port: number },
  settings: readonly string[] = [],
): Promise<Account> {
  const account = await setUp(program, { port: carrier.port, window: 10 });
  const passwordFile = join(program.dataDir, 'client.password');
  writeFileSync(passwordFile, `${login.password}\n`, { mode: 0o600 });
  const password = ['--password-file', passwordFile];
  await program.morsel('smpp-login', 'add', 'acme', '--system-id', login.systemId, ...password);
  await program.morsel('number', 'add', `+${ours}`, '--account', 'acme');
  if (settings.length > 0) await program.morsel('account', 'set', 'acme', ...settings);
  return account;
}

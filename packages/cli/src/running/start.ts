import { startGateway, type Gateway } from '@morsel/gateway/app.ts';
import { readConfig, unknownSettings, type Config, type Environment } from '@morsel/gateway/config.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { CertificateRefused } from '@morsel/gateway/edge/certificates.ts';
import { makeLog } from '@morsel/gateway/runtime/log.ts';
import { StoreRefused } from '@morsel/gateway/state/sealing/refused.ts';
import { fullDisk } from '@morsel/gateway/store/sqlite/database.ts';
import { usage, type Failure, type Shell } from '../command.ts';

/* Starts the gateway for `serve` and `demo`. Faults that an operator can correct become error messages. */

/** The umask of the gateway: only the owner may use its files. */
const ownerOnly = 0o077;

/**
 * Reads the settings, with the command's `defaults`. Warns of unknown environment variables that look like settings.
 */
export function configOf(shell: Shell, defaults: Environment = {}): Result<Config, Failure> {
  for (const warning of unknownSettings(shell.environment)) shell.warn(warning);
  const config = readConfig({ ...defaults, ...shell.environment });
  return config.ok ? config : refused(usage(config.error));
}

export async function start(
  config: Config,
  options: { readonly isHeld?: boolean; readonly isLossAccepted?: boolean } = {},
): Promise<Result<Gateway, Failure>> {
  process.umask(ownerOnly);
  return opening(namesIn(config), async () => {
    try {
      return await startGateway(config, { log: makeLog(config.logLevel), ...options });
    } catch (fault) {
      throw (isOfDisk(fault) && fullDisk(config.dataDir)) || fault;
    }
  });
}

function isOfDisk(fault: unknown): boolean {
  return fault instanceof Error && ('errcode' in fault || ('code' in fault && fault.code === 'ENOSPC'));
}

export interface ListenNames {
  readonly port: (port: number) => string;
  readonly host: (address: string) => string;
}

export function namesIn(config: Config): ListenNames {
  const tls = (['http', 'smpp', 'admin'] as const).flatMap((name) => {
    const listener = config[`${name}Tls`];
    return listener ? [{ ...listener, variable: `MORSEL_${name.toUpperCase()}_TLS` }] : [];
  });
  const ports = new Map([
    [config.simulatorPort, 'MORSEL_SIMULATOR_PORT'],
    [config.httpPort, 'MORSEL_HTTP_PORT'],
    [config.adminPort, 'MORSEL_ADMIN_PORT'],
    ...(config.smppPort === null ? [] : [[config.smppPort, 'MORSEL_SMPP_PORT'] as const]),
    ...tls.map(({ port, variable }) => [port, `${variable}_PORT`] as const),
  ]);
  const hosts = new Map([
    ...tls.map(({ host, variable }) => [host, `${variable}_HOST`] as const),
    [config.smppHost ?? '', 'MORSEL_SMPP_HOST'],
    [config.httpHost, 'MORSEL_HTTP_HOST'],
    [config.adminHost, 'MORSEL_ADMIN_HOST'],
  ]);
  return {
    port: (port) => ports.get(port) ?? 'the port',
    host: (address) => hosts.get(address) ?? 'MORSEL_HTTP_HOST',
  };
}

/** A fault that the operator can correct becomes an error message that says what to do. */
export async function opening<T>(names: ListenNames, open: () => Promise<T>): Promise<Result<T, Failure>> {
  try {
    return ok(await open());
  } catch (fault) {
    const isSaid = fault instanceof StoreRefused || fault instanceof CertificateRefused;
    const detail = isSaid ? fault.message : sentenceOf(fault, names);
    if (detail === undefined) throw fault;
    return refused({ kind: 'refused', detail });
  }
}

/** A sentence for the operator; undefined for a bug. */
function sentenceOf(fault: unknown, names: ListenNames): string | undefined {
  if (!(fault instanceof Error) || !('code' in fault)) return undefined;
  const port = 'port' in fault ? Number(fault.port) : 0;
  const address = 'address' in fault ? String(fault.address) : '';
  if ('path' in fault) return `${String(fault.path)} cannot be opened: ${String(fault.code)}`;
  switch (fault.code) {
    case 'EADDRINUSE':
      return `another program already listens on ${hostAndPort(address, port)}: stop that program, or change ${names.port(port)}`;
    case 'EACCES':
      return `this program is not allowed to listen on port ${port}: change ${names.port(port)}`;
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${address}: change ${names.host(address)}`;
    case 'ENOTFOUND':
      return 'a host name to listen on has no address: change the setting with this host name';
    default:
      return undefined;
  }
}

/** The URL for a client on this machine. */
export function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${hostAndPort(reachable, port)}`;
}

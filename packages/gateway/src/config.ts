/* The settings from the environment: their names, defaults and allowed values. Only this file reads the environment. */

import { homedir, hostname } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { parseRange, type AddressRange } from '@morsel/api/values/address-range.ts';
import { isHost } from '@morsel/api/values/host.ts';
import { didYouMean } from '@morsel/api/values/nearest.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { memoryMinMib } from './core/base/memory.ts';
import type { CertificatePort } from './edge/certificates.ts';
import { usualMemoryMib } from './runtime/heap.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

export interface Config {
  /** An absolute path. */
  readonly dataDir: string;
  /** The file of the master key; without it, the file `master-key` in `dataDir`. */
  readonly masterKeyFile?: string;
  /** The PostgreSQL database of the store, which may contain a password; without it the store is SQLite in `dataDir`. */
  readonly databaseUrl?: string;
  /** How long a few commands wait under load for more that share their commit, in milliseconds; by default not at all. */
  readonly commitDelayMs?: number;
  /** The name of this node among the nodes of the same database. */
  readonly nodeName?: string;
  readonly httpHost: string;
  /** For every port, 0 means any free port. */
  readonly httpPort: number;
  /** Address and port of the HTTP interface with TLS; null without a certificate. */
  readonly httpTls?: CertificatePort | null;
  readonly adminHost: string;
  readonly adminPort: number;
  /** Address and port of the operator's API with TLS; null without a certificate. */
  readonly adminTls?: CertificatePort | null;
  /** Names of the operator's API besides its addresses and localhost. */
  readonly adminNames?: readonly string[];
  /** Address and port for clients over SMPP without TLS; the port is null while this listener is off. */
  readonly smppHost?: string;
  readonly smppPort: number | null;
  /** Address and port for clients over SMPP with TLS; null without a certificate. */
  readonly smppTls?: CertificatePort | null;
  /** Load balancers whose connections to the listeners of HTTP and SMPP begin with a PROXY protocol header. */
  readonly httpBalancers?: readonly AddressRange[];
  readonly smppBalancers?: readonly AddressRange[];
  readonly simulatorPort: number;
  /** Proxies in front of the HTTP interface whose X-Forwarded-For header is trusted. */
  readonly trustedProxies?: readonly AddressRange[];
  /** The endpoint to which spans are exported; absent if they are not exported. */
  readonly traces?: { readonly url: string; readonly service: string };
  readonly logLevel: LogLevel;
  /** The memory that the process should need at most. */
  readonly memoryMib?: number;
  /** How far the clock may be ahead of the newest stored time and still count as right (default: a day). */
  readonly clockAheadMaxMs: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface Setting {
  /** The default value, written as in the environment. */
  readonly default: string;
  readonly means: string;
  readonly form: Form;
}

interface Form {
  readonly wants: string;
  /** A value that errors do not show. */
  readonly isSecret?: boolean;
  readonly fits: (text: string) => boolean;
}

const portMax = 65_535;

const folder: Form = { wants: 'the path of a folder', fits: (text) => text !== '' && !text.includes('\0') };
const databaseUrl: Form = {
  wants: 'the URL of a PostgreSQL database, such as postgresql://morsel@db.example.net/morsel, or empty for SQLite',
  isSecret: true,
  fits: (text) => text === '' || (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)),
};
const nodeName: Form = {
  wants: 'up to 63 letters, digits, dots, hyphens and underscores, or empty for the name of the machine',
  fits: (text) => /^[\w.-]{0,63}$/.test(text),
};
const host: Form = { wants: 'a host name or an IP address, such as 127.0.0.1', fits: isHost };
const port: Form = {
  wants: `a whole number from 0 (any free port) to ${portMax}`,
  fits: (text) => /^\d{1,5}$/.test(text) && Number(text) <= portMax,
};
const hoursMax = 87_600;
const hours: Form = {
  wants: `a whole number from 1 to ${hoursMax} (ten years)`,
  fits: (text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= hoursMax,
};
const delayMaxMs = 10;
const delay: Form = {
  wants: `milliseconds from 0 (no wait) to ${delayMaxMs}, such as 0.5`,
  fits: (text) => /^\d{1,2}(\.\d{1,3})?$/.test(text) && Number(text) <= delayMaxMs,
};
const memoryMaxMib = 65_536;
const memory: Form = {
  wants: `a whole number from ${memoryMinMib} to ${memoryMaxMib}, or empty for what fits the machine`,
  fits: (text) =>
    text === '' || (/^\d{1,5}$/.test(text) && Number(text) >= memoryMinMib && Number(text) <= memoryMaxMib),
};
const off = 'off';
const portOrOff: Form = { wants: `${port.wants}, or ${off}`, fits: (text) => text === off || port.fits(text) };
const fileOrNone: Form = { wants: 'the path of a file', fits: (text) => !text.includes('\0') };
const addresses: Form = {
  wants: 'addresses and ranges, separated by commas, such as 127.0.0.1,10.0.0.0/8',
  fits: (text) => listOf(text).every((each) => parseRange(each) !== undefined),
};
const hosts: Form = {
  wants: 'host names separated by commas, such as morsel.example.net,sms-gateway',
  fits: (text) => listOf(text).every(isHost),
};
const logLevel: Form = { wants: `one of ${logLevels.join(', ')}`, fits: (text) => logLevels.some((l) => l === text) };

/** The settings of a listener with TLS. */
function tlsSettings<const L extends string>(of: L, { purpose, port: usual }: Record<'purpose' | 'port', string>) {
  const settingsOfIt = {
    [`MORSEL_${of}_TLS_HOST`]: { default: '127.0.0.1', form: host, means: `the address ${purpose} with TLS` },
    [`MORSEL_${of}_TLS_PORT`]: {
      default: usual,
      form: portOrOff,
      means: `the port ${purpose} with TLS, or off; it opens when a certificate is set`,
    },
    [`MORSEL_${of}_TLS_CERT`]: {
      default: '',
      form: fileOrNone,
      means: 'the file of the certificate with its intermediate certificates, in PEM; read again when it changes',
    },
    [`MORSEL_${of}_TLS_KEY`]: {
      default: '',
      form: fileOrNone,
      means: 'the file of the key of that certificate, in PEM',
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript widens computed names to string
  return settingsOfIt as Record<`MORSEL_${L}_TLS_${'HOST' | 'PORT' | 'CERT' | 'KEY'}`, Setting>;
}

function balancersOf(listener: string): Setting {
  return {
    default: '',
    form: addresses,
    means: `load balancers that begin each connection ${listener} with a PROXY protocol header (version 2); others send none`,
  };
}

/** Every setting under the name of its environment variable. By default all listeners are open only to this machine. */
export const settings = {
  MORSEL_DATA_DIR: { default: './data', form: folder, means: 'where the database and the operator key are kept' },
  MORSEL_MASTER_KEY_FILE: {
    default: '',
    form: fileOrNone,
    means:
      'the file of the master key for texts and passwords in the database; empty for master-key in the data directory',
  },
  MORSEL_DATABASE_URL: {
    default: '',
    form: databaseUrl,
    means: 'the PostgreSQL database, for several nodes; empty for SQLite in the data directory',
  },
  MORSEL_NODE_NAME: {
    default: '',
    form: nodeName,
    means: 'the name of this node in the PostgreSQL database; empty for the name of the machine',
  },
  MORSEL_COMMIT_DELAY_MS: {
    default: '0.5',
    form: delay,
    means:
      'how long, under load, a commit of a few messages waits for more; each commit costs an fsync. A single message never waits',
  },
  MORSEL_HTTP_HOST: { default: '127.0.0.1', form: host, means: 'the address that clients send to' },
  MORSEL_HTTP_PORT: { default: '8080', form: port, means: 'the port that clients send to' },
  ...tlsSettings('HTTP', { purpose: 'that clients send to', port: '8443' }),
  MORSEL_TRUSTED_PROXIES: {
    default: '',
    form: addresses,
    means: 'trusted proxies, whose X-Forwarded-For is used, such as 127.0.0.1,10.0.0.0/8',
  },
  MORSEL_HTTP_BALANCERS: balancersOf('of HTTP clients'),
  MORSEL_ADMIN_HOST: { default: '127.0.0.1', form: host, means: "the address of the operator's commands" },
  MORSEL_ADMIN_PORT: { default: '8081', form: port, means: "the port of the operator's commands" },
  ...tlsSettings('ADMIN', { purpose: "of the operator's commands", port: '8444' }),
  MORSEL_ADMIN_NAMES: {
    default: '',
    form: hosts,
    means: "names that requests to the operator's API may use besides IP addresses and localhost, separated by commas",
  },
  MORSEL_SMPP_HOST: { default: '127.0.0.1', form: host, means: 'the address for clients over SMPP' },
  MORSEL_SMPP_PORT: { default: '2775', form: portOrOff, means: 'the port for clients over SMPP, or off' },
  ...tlsSettings('SMPP', { purpose: 'for clients over SMPP', port: '3550' }),
  MORSEL_SMPP_BALANCERS: balancersOf('of SMPP clients'),
  MORSEL_SIMULATOR_PORT: { default: '2776', form: port, means: 'the port of the simulated carrier of the demo' },
  MORSEL_CLOCK_AHEAD_HOURS: {
    default: '24',
    form: hours,
    means:
      'hours that the clock may be ahead of the newest record at a start; beyond, nothing expires until clock confirm',
  },
  MORSEL_MEMORY_MIB: {
    default: '',
    form: memory,
    means: 'MiB of memory that the gateway should need at most; empty for half of the machine, from 320 to 384',
  },
  MORSEL_LOG_LEVEL: { default: 'info', form: logLevel, means: 'how much is logged' },
} as const satisfies { readonly [variable: string]: Setting };

type Variable = keyof typeof settings;

const variables: readonly string[] = Object.keys(settings);
const ownPrefix = 'MORSEL_';
/** An error shows at most this many characters of a bad value. */
const shownMax = 60;

export function environment(): Environment {
  return process.env;
}

/** The settings, or an error that names the first bad setting and its allowed values. */
export function readConfig(from: Environment): Result<Config, string> {
  for (const [variable, { default: usual, form }] of Object.entries<Setting>(settings)) {
    const text = from[variable] ?? usual;
    const is = form.isSecret === true ? 'wrong' : shown(text);
    if (!form.fits(text)) return refused(`${variable} is ${is}: it must be ${form.wants}`);
  }
  const level = textOf(from, 'MORSEL_LOG_LEVEL');
  const url = textOf(from, 'MORSEL_DATABASE_URL');
  const masterKeyFile = textOf(from, 'MORSEL_MASTER_KEY_FILE');
  const httpTls = tlsOf(from, 'HTTP');
  if (!httpTls.ok) return httpTls;
  const smppTls = tlsOf(from, 'SMPP');
  if (!smppTls.ok) return smppTls;
  const adminTls = tlsOf(from, 'ADMIN');
  if (!adminTls.ok) return adminTls;
  return ok({
    dataDir: resolve(textOf(from, 'MORSEL_DATA_DIR')),
    ...(masterKeyFile !== '' && { masterKeyFile: resolve(masterKeyFile) }),
    ...(url !== '' && { databaseUrl: url, nodeName: textOf(from, 'MORSEL_NODE_NAME') || hostname() }),
    commitDelayMs: Number(textOf(from, 'MORSEL_COMMIT_DELAY_MS')),
    httpHost: textOf(from, 'MORSEL_HTTP_HOST'),
    httpPort: Number(textOf(from, 'MORSEL_HTTP_PORT')),
    httpTls: httpTls.value,
    adminHost: textOf(from, 'MORSEL_ADMIN_HOST'),
    adminPort: Number(textOf(from, 'MORSEL_ADMIN_PORT')),
    adminTls: adminTls.value,
    adminNames: listOf(textOf(from, 'MORSEL_ADMIN_NAMES')).map((each) => each.toLowerCase()),
    smppHost: textOf(from, 'MORSEL_SMPP_HOST'),
    smppPort: portOf(textOf(from, 'MORSEL_SMPP_PORT')),
    smppTls: smppTls.value,
    httpBalancers: rangesOf(from, 'MORSEL_HTTP_BALANCERS'),
    smppBalancers: rangesOf(from, 'MORSEL_SMPP_BALANCERS'),
    simulatorPort: Number(textOf(from, 'MORSEL_SIMULATOR_PORT')),
    trustedProxies: rangesOf(from, 'MORSEL_TRUSTED_PROXIES'),
    ...tracesOf(from),
    clockAheadMaxMs: Number(textOf(from, 'MORSEL_CLOCK_AHEAD_HOURS')) * hourMs,
    memoryMib: Number(textOf(from, 'MORSEL_MEMORY_MIB')) || usualMemoryMib(),
    logLevel: logLevels.find((each) => each === level) ?? 'info',
  });
}

/** The usual variables of OpenTelemetry's SDKs. */
function tracesOf(from: Environment): Pick<Config, 'traces'> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base = '', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces = '' } = from;
  const isOff = from['OTEL_SDK_DISABLED'] === 'true' || from['OTEL_TRACES_EXPORTER'] === 'none';
  const url = traces === '' && base !== '' ? `${base.replace(/\/$/, '')}/v1/traces` : traces;
  return isOff || url === '' ? {} : { traces: { url, service: from['OTEL_SERVICE_NAME'] || 'morsel' } };
}

/** The listener with TLS for clients over HTTP or SMPP, or for operators. */
function tlsOf(from: Environment, of: 'HTTP' | 'SMPP' | 'ADMIN'): Result<CertificatePort | null, string> {
  const [given, other] = [`MORSEL_${of}_TLS_CERT`, `MORSEL_${of}_TLS_KEY`] as const;
  const [cert, key] = [textOf(from, given), textOf(from, other)];
  const tlsPort = portOf(textOf(from, `MORSEL_${of}_TLS_PORT`));
  if ((cert === '') !== (key === '')) {
    return refused(
      cert === '' ? `${other} is set, but ${given} is not: set both` : `${given} is set, but ${other} is not: set both`,
    );
  }
  if (cert === '' || tlsPort === null) return ok(null);
  return ok({ host: textOf(from, `MORSEL_${of}_TLS_HOST`), port: tlsPort, cert: resolve(cert), key: resolve(key) });
}

function portOf(text: string): number | null {
  return text === off ? null : Number(text);
}

/** A warning for each unknown setting whose name begins with `MORSEL_`, which is nearly always a typing error. */
export function unknownSettings(from: Environment): string[] {
  return Object.keys(from)
    .filter((name) => name.toUpperCase().startsWith(ownPrefix) && !variables.includes(name))
    .toSorted()
    .map((name) => `unknown setting ${name} is ignored${didYouMean(name.toUpperCase(), variables)}`);
}

/** The folder with the settings of this user (XDG Base Directory Specification). */
export function userFolder(from: Environment): string {
  const given = from['XDG_CONFIG_HOME'] ?? '';
  const base = isAbsolute(given) ? given : join(from['HOME'] ?? homedir(), '.config');
  return join(base, 'morsel');
}

/** Whether the environment names the data directory. The command line then uses the gateway of this directory. */
export function namesDataDirectory(from: Environment): boolean {
  return (from['MORSEL_DATA_DIR'] ?? '') !== '';
}

/** Whether output to a terminal may have colours (https://no-color.org). */
export function mayColour(from: Environment): boolean {
  return (from['NO_COLOR'] ?? '') === '' && from['TERM'] !== 'dumb';
}

function rangesOf(from: Environment, variable: Variable): readonly AddressRange[] {
  return listOf(textOf(from, variable)).flatMap((each) => parseRange(each) ?? []);
}

function listOf(text: string): string[] {
  return text === '' ? [] : text.split(',').map((each) => each.trim());
}

function textOf(from: Environment, variable: Variable): string {
  return from[variable] ?? settings[variable].default;
}

function shown(text: string): string {
  if (text === '') return 'empty';
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

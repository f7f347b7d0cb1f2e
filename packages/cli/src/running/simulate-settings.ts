import { readFileSync } from 'node:fs';
import { endings, requirements, type Inbound, type SimulatorOptions } from '@morsel/simulator';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { list, optional } from '@morsel/api/fields/compose.ts';
import { readValues, type Slip } from '@morsel/api/fields/field.ts';
import { oneOf } from '@morsel/api/fields/fields.ts';
import type { Input } from '../command.ts';
import { simulateFields } from './simulate-fields.ts';

/* Parses the options of `morsel simulate` and reads the files that they name. */

const words = { summary: 'a word' };

const fields = {
  ...simulateFields,
  ordinary: optional(oneOf(Object.keys(endings), words)),
  requirements: optional(list(oneOf(requirements, words), words)),
};

export interface InboundSettings {
  readonly text?: string;
  readonly numbers: Pick<Inbound, 'from' | 'to'>;
}

type Settings = SimulatorOptions & { readonly host: string; readonly inbound: InboundSettings };

/** A refusal names the wrong option. */
export function readSettings({ values, flags }: Input): Result<Settings, Slip> {
  const read = readValues(fields, { ...values, journalTexts: flags.has('journalTexts') });
  if (!read.ok) return read;
  const { tlsCert, tlsKey, tlsCa, binds, magic, inbound, from, to, ...plain } = read.value;
  const tls = readTls({ tlsCert, tlsKey, tlsCa });
  if (!tls.ok) return tls;
  return ok(
    given({
      ...plain,
      tls: tls.value,
      bindsMax: binds,
      magic: magic && magic === 'on',
      inbound: given({ text: inbound, numbers: given({ from, to }) }),
    }),
  );
}

type TlsFiles = { readonly [name in 'tlsCert' | 'tlsKey' | 'tlsCa']: string | undefined };

function readTls({ tlsCert, tlsKey, tlsCa }: TlsFiles): Result<SimulatorOptions['tls'], Slip> {
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined) return ok(undefined);
  if (tlsCert === undefined) return slip('tlsCert', 'must name the PEM file of a certificate');
  if (tlsKey === undefined) return slip('tlsKey', 'must name the PEM file of the key of the certificate');
  const cert = readPem('tlsCert', tlsCert);
  if (!cert.ok) return cert;
  const key = readPem('tlsKey', tlsKey);
  if (!key.ok) return key;
  if (tlsCa === undefined) return ok({ cert: cert.value, key: key.value });
  const ca = readPem('tlsCa', tlsCa);
  return ca.ok ? ok({ cert: cert.value, key: key.value, ca: ca.value, requestClientCertificate: true }) : ca;
}

function readPem(field: string, path: string): Result<Buffer, Slip> {
  try {
    return ok(readFileSync(path));
  } catch {
    return slip(field, 'the file does not exist or cannot be read');
  }
}

function slip(field: string, detail: string): Result<never, Slip> {
  return refused({ code: 'invalid_parameter', field, detail });
}

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function given<T extends object>(options: T): Given<T> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members, except undefined members
  return Object.fromEntries(entries) as Given<T>;
}

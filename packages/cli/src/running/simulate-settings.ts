import { readFileSync } from 'node:fs';
import { statuses } from '@morsel/smpp';
import { demands, idForms, magic, type Inbound, type SimulatorOptions, type Unanswered } from '@morsel/simulator';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { list, optional } from '@morsel/api/admin/compose.ts';
import { readValues, type Slip } from '@morsel/api/admin/field.ts';
import { fieldOf, oneOf } from '@morsel/api/admin/fields.ts';
import type { Input } from '../command.ts';
import { simulateFields } from './simulate-fields.ts';

/*
 * Parses the options of `morsel simulate` and reads the files that they name.
 */

const statusMax = 0xffffffff;
const versions = { '3.3': 0x33, '3.4': 0x34, '5.0': 0x50 } as const;
const requests: readonly Unanswered[] = ['enquire_link', 'unbind'];

const { about: status } = simulateFields.bindStatus;
const words = { summary: 'a word' };

const fields = {
  ...simulateFields,
  bindStatus: optional(
    fieldOf<number | 'unanswered'>(status, {
      placeholder: '<status>',
      schema: { type: 'string' },
      read: (word) => readStatus(String(word)),
      json: String,
      fromJson: Number,
    }),
  ),
  messageIds: optional(oneOf(idForms, words)),
  receiptIds: optional(oneOf(idForms, words)),
  ordinary: optional(oneOf(Object.keys(magic), words)),
  demands: optional(list(oneOf(demands, words), words)),
  unanswered: optional(list(oneOf(requests, words), words)),
};

/** The inbound messages to send. */
export interface InboundSettings {
  /** The text of the inbound message to send first. */
  readonly text?: string;
  /** The sender and receiver of all inbound messages. */
  readonly numbers: Pick<Inbound, 'from' | 'to'>;
}

type Settings = SimulatorOptions & { readonly host: string; readonly inbound: InboundSettings };

/** Reads the settings. A refusal names the wrong option. */
export function readSettings({ values, flags }: Input): Result<Settings, Slip> {
  const on = { journalTexts: flags.has('journalTexts'), bindBody: flags.has('bindBody') };
  const read = readValues(fields, { ...values, ...on });
  if (!read.ok) return read;
  const {
    bindBody: hasBody,
    tlsCert,
    tlsKey,
    tlsCa,
    smppVersion,
    binds,
    bindStatus,
    bindRefusals,
    magic: onOff,
    ...more
  } = read.value;
  const { closing, closingAfter: afterSubmits, closingTimes: times, firstSequence, inbound, from, to, ...plain } = more;
  const tls = readTls({ tlsCert, tlsKey, tlsCa });
  if (!tls.ok) return tls;
  return ok(
    given({
      ...plain,
      tls: tls.value,
      version: smppVersion && versions[smppVersion],
      bindsMax: binds,
      bindRefusal:
        bindStatus === undefined ? undefined : given({ command_status: bindStatus, times: bindRefusals, hasBody }),
      magic: onOff && onOff === 'on',
      closing: closing && given({ by: closing, afterSubmits, times }),
      session: firstSequence === undefined ? undefined : { firstSequence },
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

function readStatus(word: string): Result<number | 'unanswered', string> {
  if (word === 'unanswered') return ok(word);
  const named = Object.entries(statuses).find(([name]) => name === word)?.[1];
  const number = named ?? (/^(0x[0-9a-f]{1,8}|\d{1,10})$/i.test(word) ? Number(word) : 0);
  return number > 0 && number <= statusMax
    ? ok(number)
    : refused('must be a command_status other than ESME_ROK, such as ESME_RALYBND, 13 or 0x0d, or the word unanswered');
}

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The options without undefined members. */
function given<T extends object>(options: T): Given<T> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members, except undefined members
  return Object.fromEntries(entries) as Given<T>;
}

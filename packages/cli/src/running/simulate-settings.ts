import { readFileSync } from 'node:fs';
import { statuses } from '@morsel/smpp';
import { demands, idForms, magic } from '@morsel/simulator';
import type { Ending, Inbound, SimulatorOptions, Unanswered } from '@morsel/simulator';
import type { Rejection } from '@morsel/gateway/core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import {
  anyText,
  ascii,
  host,
  invalid,
  oneOf,
  optional,
  readFields,
  wholeNumber,
} from '@morsel/gateway/operator/fields.ts';
import type { Field } from '@morsel/gateway/operator/fields.ts';
import type { Input } from '../command.ts';

/*
 * Parses the options of `morsel simulate` and reads the files that they name.
 */

const portMax = 65_535;
const countMax = 1_000_000;
const delayMaxMs = 3_600_000;
const loginMax = 64;
const sequenceMax = 0x7fffffff;
/** The longest address_range (SMPP 3.4, section 5.2.7). */
const addressRangeMax = 40;
const statusMax = 0xffffffff;
const closingAfter = 100;
/** The longest address (SMPP 3.4, section 5.2.8). */
const addressMax = 20;

const versions = { '3.3': 0x33, '3.4': 0x34, '5.0': 0x50 } as const;
const endings: readonly Ending[] = ['fin', 'rst', 'silence'];
const requests: readonly Unanswered[] = ['enquire_link', 'unbind'];

const count = optional(wholeNumber(1, countMax), undefined);
const delay = optional(wholeNumber(0, delayMaxMs), undefined);
const text = optional(anyText, undefined);

/** A percentage as a share of one. */
const percentage: Field<number> = {
  parse: (word) => {
    const match = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(word);
    const share = Number(match?.[1]) / 100;
    return share <= 1 ? ok(share) : refused('must be a percentage from 0% to 100%, such as 2% or 0.5%');
  },
};

const fields = {
  port: wholeNumber(0, portMax),
  host: optional(host, '127.0.0.1'),
  systemId: optional(ascii(1, loginMax), undefined),
  password: optional(ascii(0, loginMax), undefined),
  receiptDelayMs: delay,
  retryMs: delay,
  journal: text,
  throughput: count,
  throttleChance: optional(percentage, undefined),
  throttlePenaltyMs: delay,
  window: count,
  deliveriesMax: count,
  tlsCert: text,
  tlsKey: text,
  tlsCa: text,
  smppVersion: optional(oneOf(['3.3', '3.4', '5.0'] as const), undefined),
  systemType: optional(ascii(0, loginMax), undefined),
  addressRange: optional(ascii(0, addressRangeMax), undefined),
  binds: count,
  bindStatus: optional<number | 'unanswered', undefined>({ parse: readStatus }, undefined),
  bindRefusals: count,
  messageIds: optional(oneOf(idForms), undefined),
  receiptIds: optional(oneOf(idForms), undefined),
  magic: optional(oneOf(['on', 'off'] as const), undefined),
  ordinary: optional(oneOf(Object.keys(magic)), undefined),
  demands: optional(listOf(demands), undefined),
  answers: optional(oneOf(['in_order', 'reversed'] as const), undefined),
  answerDelayMs: delay,
  closing: optional(oneOf(endings), undefined),
  closingAfter: optional(wholeNumber(1, countMax), closingAfter),
  closingTimes: count,
  unanswered: optional(listOf(requests), undefined),
  firstSequence: optional(wholeNumber(0, sequenceMax), undefined),
  inbound: text,
  from: optional(ascii(1, addressMax), undefined),
  to: optional(ascii(1, addressMax), undefined),
};

/** The inbound messages to send. */
export interface InboundSettings {
  /** The text of the first one. */
  readonly text?: string;
  /** Sender and receiver of all of them. */
  readonly numbers: Pick<Inbound, 'from' | 'to'>;
}

type Settings = SimulatorOptions & { readonly host: string; readonly inbound: InboundSettings };

/** The settings, or a rejection that names the option. */
export function readSettings({ values, flags }: Input): Result<Settings, Rejection> {
  const read = readFields(fields, values);
  if (!read.ok) return read;
  const { tlsCert, tlsKey, tlsCa, smppVersion, binds, bindStatus, bindRefusals, magic: onOff, ...more } = read.value;
  const { closing, closingAfter: afterSubmits, closingTimes: times, firstSequence, inbound, from, to, ...plain } = more;
  const tls = readTls({ tlsCert, tlsKey, tlsCa });
  if (!tls.ok) return tls;
  return ok(
    given({
      ...plain,
      tls: tls.value,
      journalTexts: flags.has('journalTexts'),
      version: smppVersion && versions[smppVersion],
      bindsMax: binds,
      bindRefusal:
        bindStatus === undefined
          ? undefined
          : given({ command_status: bindStatus, times: bindRefusals, hasBody: flags.has('bindBody') }),
      magic: onOff && onOff === 'on',
      closing: closing && given({ by: closing, afterSubmits, times }),
      session: firstSequence === undefined ? undefined : { firstSequence },
      inbound: given({ text: inbound, numbers: given({ from, to }) }),
    }),
  );
}

type TlsFiles = { readonly [name in 'tlsCert' | 'tlsKey' | 'tlsCa']: string | undefined };

function readTls({ tlsCert, tlsKey, tlsCa }: TlsFiles): Result<SimulatorOptions['tls'], Rejection> {
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined) return ok(undefined);
  if (tlsCert === undefined) return invalid('tlsCert', 'must name the PEM file of a certificate');
  if (tlsKey === undefined) return invalid('tlsKey', 'must name the PEM file of the key of the certificate');
  const cert = readPem('tlsCert', tlsCert);
  if (!cert.ok) return cert;
  const key = readPem('tlsKey', tlsKey);
  if (!key.ok) return key;
  if (tlsCa === undefined) return ok({ cert: cert.value, key: key.value });
  const ca = readPem('tlsCa', tlsCa);
  return ca.ok ? ok({ cert: cert.value, key: key.value, ca: ca.value, requestClientCertificate: true }) : ca;
}

function readPem(field: string, path: string): Result<Buffer, Rejection> {
  try {
    return ok(readFileSync(path));
  } catch {
    return invalid(field, 'the file does not exist or cannot be read');
  }
}

function readStatus(word: string): Result<number | 'unanswered', string> {
  if (word === 'unanswered') return ok(word);
  const named = Object.entries(statuses).find(([name]) => name === word)?.[1];
  const number = named ?? (/^(0x[0-9a-f]{1,8}|\d{1,10})$/i.test(word) ? Number(word) : 0);
  return number > 0 && number <= statusMax
    ? ok(number)
    : refused('must be a command_status other than ESME_ROK, such as ESME_RALYBND, 13 or 0x0d, or the word unanswered');
}

function listOf<T extends string>(words: readonly T[]): Field<readonly T[]> {
  const word = oneOf(words);
  return {
    parse: (list) => {
      const read: T[] = [];
      for (const each of list.split(',')) {
        const one = word.parse(each.trim());
        if (!one.ok) return one;
        read.push(one.value);
      }
      return ok(read);
    },
  };
}

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The options without those that are undefined. */
function given<T extends object>(options: T): Given<T> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members, but for those that are undefined
  return Object.fromEntries(entries) as Given<T>;
}

import { checkCarrier, idRules, inDoubtPolicies } from '../core/routing/carrier.ts';
import type { CarrierSettings } from '../core/routing/carrier.ts';
import {
  bindModes,
  gsmCodings,
  inboundCodings,
  longMessageMethods,
  numberForms,
  presets,
  profileOf,
  smppVersions,
  statusClasses,
  textReceiptModes,
  tlsModes,
  ucsCodings,
  validityForms,
} from '../core/routing/carrier-profile.ts';
import type { CarrierProfile, AddressType } from '../core/routing/carrier-profile.ts';
import { isCountryCode } from '../core/number/number-plan.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { checkTls } from './carrier-tls.ts';
import type { CarrierChange } from './carrier-tls.ts';
import { extraTlvs, passTlvs } from './carrier-tlvs.ts';
import { ascii, host, invalid, name, oneOf, optional, orNone, readFields, wholeNumber } from './fields.ts';
import type { Field, Fields } from './fields.ts';

/* What an operator says of a carrier: texts, as typed or from JSON, read into its settings and its profile. */

/** Octets of system_id and system_type (SMPP 3.4, table 4-1). */
const systemIdMax = 15;
const systemTypeMax = 12;
/** Octets of a password. SMPP 3.4 allows 8, but there are carriers that hand out longer ones and want all of it. */
const passwordMax = 64;
/** Octets of address_range (SMPP 3.4, section 4.1.1). */
const addressRangeMax = 40;
/** Requests in flight: what carriers grant is tens, and each costs memory until its answer comes. */
const windowMax = 1_000;
const windowDefault = 10;
const throughputMax = 100_000;
const linksMax = 64;
const portMax = 65_535;
const octetMax = 0xff;
const tonMax = 7;
const npiMax = 18;
const tableMax = 256;
const pemMax = 64 * 1_024;
const backOffMax = 3_600_000;
const timeoutMin = 100;
const timeoutMax = 600_000;

/** A number, decimal or with 0x in front. */
function code(min: number, max: number): Field<number> {
  return {
    parse: (text) => {
      const value = /^(?:\d{1,10}|0x[0-9a-f]{1,8})$/i.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max
        ? ok(value)
        : refused(`it has to be a number from ${min} to ${max}, decimal or as 0x and hexadecimal digits`);
    },
  };
}

const numberType: Field<AddressType> = {
  parse: (text) => {
    const [, ton, npi] = /^(\d{1,2})\/(\d{1,2})$/.exec(text) ?? [];
    return ton !== undefined && npi !== undefined && Number(ton) <= tonMax && Number(npi) <= npiMax
      ? ok({ ton: Number(ton), npi: Number(npi) })
      : refused('it has to be a type of number and a numbering plan, such as 1/1 or 5/0');
  },
};

const countryCode: Field<string> = {
  parse: (text) =>
    isCountryCode(text) ? ok(text) : refused('it has to be the code of a country, such as 41, or the word none'),
};

/** `0=latin1,8=ucs2-le`: codes, each with what it stands for. An empty text is an empty table. */
function tableOf<T extends string>(
  words: readonly T[],
  codes: { readonly min: number; readonly max: number },
): Field<{ readonly [code: string]: T }> {
  const word = oneOf(words);
  const number = code(codes.min, codes.max);
  return {
    parse: (text) => {
      const table: { [code: string]: T } = {};
      const entries = text === '' ? [] : text.split(',');
      if (entries.length > tableMax) return refused(`it has to have ${tableMax} entries at most`);
      for (const entry of entries) {
        const [left = '', right = ''] = entry.split('=');
        const key = number.parse(left.trim());
        if (!key.ok) return refused(`each entry is CODE=WORD; of the code, ${key.error}`);
        const value = word.parse(right.trim());
        if (!value.ok) return refused(`each entry is CODE=WORD; of the word, ${value.error}`);
        if (String(key.value) in table) return refused(`${left.trim()} stands there twice: give each code once`);
        table[String(key.value)] = value.value;
      }
      return ok(table);
    },
  };
}

/** What begins and ends as PEM does (RFC 7468). */
const pem: Field<string> = {
  parse: (text) =>
    text.length <= pemMax && /^\s*-----BEGIN [A-Z0-9 ]+-----[^]+-----END [A-Z0-9 ]+-----\s*$/.test(text)
      ? ok(text)
      : refused('it has to be PEM: text between -----BEGIN and -----END lines'),
};

/** Beside the profile: where the carrier is, who we are there, and how much it takes. */
const settingFields = {
  host,
  port: wholeNumber(1, portMax),
  systemId: ascii(1, systemIdMax),
  password: ascii(0, passwordMax),
  receiverPassword: orNone(ascii(0, passwordMax)),
  tlsKey: orNone(pem),
  systemType: ascii(0, systemTypeMax),
  window: wholeNumber(1, windowMax),
  throughput: wholeNumber(0, throughputMax),
  links: wholeNumber(1, linksMax),
  inDoubt: oneOf(inDoubtPolicies),
  idRule: oneOf(idRules),
};

const profileFields = {
  bind: oneOf(bindModes),
  version: oneOf(smppVersions),
  addressRange: ascii(0, addressRangeMax),
  receiverHost: orNone(host),
  receiverPort: orNone(wholeNumber(1, portMax)),
  receiverSystemId: orNone(ascii(1, systemIdMax)),
  senderInternational: numberType,
  senderShortCode: numberType,
  senderAlphanumeric: numberType,
  receiverNumber: numberType,
  numberForm: oneOf(numberForms),
  countryCode: orNone(countryCode),
  gsmCoding: oneOf(gsmCodings),
  gsmDataCoding: code(0, octetMax),
  gsmFlashDataCoding: code(0, octetMax),
  ucsCoding: oneOf(ucsCodings),
  ucsDataCoding: code(0, octetMax),
  ucsFlashDataCoding: code(0, octetMax),
  inboundCodings: tableOf(inboundCodings, { min: 0, max: octetMax }),
  longMessages: oneOf(longMessageMethods),
  validityForm: oneOf(validityForms),
  registeredDelivery: code(0, octetMax),
  textReceipts: oneOf(textReceiptModes),
  extraTlvs,
  passTlvs,
  // 0 is ESME_ROK: an acceptance, and nothing else.
  statusClasses: tableOf(statusClasses, { min: 1, max: 0xff_ff_ff_ff }),
  tls: oneOf(tlsModes),
  tlsServerName: orNone(host),
  tlsCa: orNone(pem),
  tlsCertificate: orNone(pem),
  answerTimeoutMs: wholeNumber(timeoutMin, timeoutMax),
  enquireLinkMs: wholeNumber(timeoutMin, timeoutMax),
  backOffMinMs: wholeNumber(1, backOffMax),
  backOffMaxMs: wholeNumber(1, backOffMax),
} satisfies { readonly [K in keyof CarrierProfile]: Field<CarrierProfile[K]> };

const preset = oneOf(Object.keys(presets));

const otherwise: Pick<
  CarrierSettings,
  'receiverPassword' | 'tlsKey' | 'systemType' | 'window' | 'throughput' | 'links' | 'inDoubt' | 'idRule'
> = {
  receiverPassword: null,
  tlsKey: null,
  systemType: '',
  window: windowDefault,
  throughput: 0,
  links: 1,
  inDoubt: 'resend',
  idRule: 'auto',
};

/** What may be given, each thing or not at all. */
const changeFields = {
  preset: optional(preset, undefined),
  costList: optional(orNone(name), undefined),
  ...everyOptional({ ...settingFields, ...profileFields }),
};

/** Everything that a new carrier has. */
export function readNewCarrier(
  fields: Fields,
): Result<{ name: string; costList: string | null } & CarrierSettings, Rejection> {
  const { name: givenName, ...rest } = fields;
  const called = readFields({ name }, { name: givenName });
  if (!called.ok) return called;
  const needed = readFields(
    { host, port: settingFields.port, systemId: settingFields.systemId, password: settingFields.password },
    { host: rest['host'], port: rest['port'], systemId: rest['systemId'], password: rest['password'] },
  );
  if (!needed.ok) return needed;
  const change = readChange(rest);
  if (!change.ok) return change;
  const { preset: from = 'standard', settings, profile, costList = null } = change.value;
  const full = { ...otherwise, ...needed.value, ...settings, profile: profileOf(from, profile) };
  const checked = checkCarrier({ ...called.value, costList, ...full });
  return checked.ok ? checkTls(checked.value) : checked;
}

/** A change of a carrier that is there. */
export function readCarrierChange(fields: Fields): Result<CarrierChange & { readonly carrier: string }, Rejection> {
  const { carrier, ...rest } = fields;
  const called = readFields({ carrier: name }, { carrier });
  if (!called.ok) return called;
  const change = readChange(rest);
  if (!change.ok) return change;
  const { settings, profile, costList } = change.value;
  const isPlain = change.value.preset === undefined && costList === undefined;
  if (isPlain && Object.keys(settings).length + Object.keys(profile).length === 0) {
    return invalid('carrier', 'nothing is to be changed: name a setting');
  }
  return ok({ ...called.value, ...change.value });
}

function readChange(fields: Fields): Result<CarrierChange, Rejection> {
  const read = readFields(changeFields, fields);
  if (!read.ok) return read;
  const { preset: from, costList, ...values } = read.value;
  return ok({ preset: from, costList, settings: given(values, settingFields), profile: given(values, profileFields) });
}

/** Those of the values that were given and that a table names. */
function given<T extends object>(values: object, table: T): Partial<{ [K in keyof T]: FieldValue<T[K]> }> {
  const named = Object.entries(values).filter(([key, value]) => value !== undefined && key in table);
  // Each value was made by the field of its name.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(named) as Partial<{ [K in keyof T]: FieldValue<T[K]> }>;
}

type FieldValue<F> = F extends Field<infer T> ? T : never;

function everyOptional<T extends { readonly [name: string]: Field<unknown> }>(
  table: T,
): { readonly [K in keyof T]: Field<FieldValue<T[K]> | undefined> } {
  const fields = Object.entries(table).map(([key, field]) => [key, optional(field, undefined)]);
  // The same table, with fields that may be left out.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(fields) as { readonly [K in keyof T]: Field<FieldValue<T[K]> | undefined> };
}

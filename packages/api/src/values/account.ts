/* The words that settings and rules of accounts allow, and the types of rate limits. */

import { zeroMicros } from './money.ts';

/**
 * The parts that an account gets back. `unsent`: parts that certainly reached no carrier. `refused`: also parts that
 * every carrier refused. `undelivered`: all parts that were not delivered.
 */
export const refundPolicies = ['never', 'unsent', 'refused', 'undelivered'] as const;
export type RefundPolicy = (typeof refundPolicies)[number];

/** The encodings of a client's text whose encoding it does not name: data_coding 0 of SMPP. SMPP leaves the choice open (3.4, section 5.2.19). */
export const defaultCodings = ['gsm7', 'gsm7-packed', 'latin1', 'ascii'] as const;
export type DefaultCoding = (typeof defaultCodings)[number];

/** How a client session gets an inbound message too long for short_message: in message_payload, or in parts with UDHs. */
export const smppLongs = ['payload', 'udh'] as const;
export type SmppLong = (typeof smppLongs)[number];

export const storeTexts = ['yes', 'no'] as const;
export type StoreText = (typeof storeTexts)[number];

/** The kinds of data that are removed after a number of days, of messages and of inbound messages. */
export const retained = ['texts', 'numbers', 'records', 'inbound-texts', 'inbound-numbers', 'inbound-records'] as const;
export type Retained = (typeof retained)[number];
export type RetainedDays = 'textDays' | 'numberDays' | 'recordDays';

/** The setting of an account that says for how many days this kind of data is kept. */
export function daysFor(what: Retained): RetainedDays {
  if (what.endsWith('texts')) return 'textDays';
  return what.endsWith('numbers') ? 'numberDays' : 'recordDays';
}

/**
 * The phases of the erasure of a number. It looks through all messages and all inbound messages, waits for unfinished
 * messages, looks for the number in the files of the database, and is done.
 */
export const erasurePhases = ['messages', 'inbound', 'unfinished', 'files', 'done'] as const;

/** Rules in the order in which the gateway checks them. */
export const ruleNames = [
  'senders',
  'countries',
  'premium',
  'unknown',
  'fixed-line',
  'rate',
  'receiver-velocity',
  'prefix-velocity',
  'repeat',
] as const;
export type RuleName = (typeof ruleNames)[number];

/** `watch` counts messages that break the rule, but sends them; `refuse` also refuses them. */
export const ruleModes = ['off', 'watch', 'refuse'] as const;
export type RuleMode = (typeof ruleModes)[number];

/** The modes of rules about number types, as the operator writes them. `allow` means `off`. */
export const numberModes = ['allow', 'watch', 'refuse'] as const;
export type NumberMode = (typeof numberModes)[number];

/** Rules about number types. Their only setting is the mode. */
const numberRules = ['premium', 'unknown', 'fixed-line'] as const satisfies readonly RuleName[];

export const rulesWithSettings = ruleNames.filter((rule) => !isNumberRule(rule));

function isNumberRule(rule: RuleName): rule is (typeof numberRules)[number] {
  return numberRules.some((each) => each === rule);
}

/** A limit: at most `count` in any period of `seconds`. */
export interface Pace {
  readonly count: number;
  readonly seconds: number;
}

/** A limit for all receivers with the same first digits. `digits` is the number of these digits. */
export interface PrefixPace extends Pace {
  readonly digits: number;
}

/** The settings of a new account, which has no rules. */
export const newAccountSettings = {
  creditLimit: zeroMicros,
  partsMax: 10,
  receiptWaitSeconds: 72 * 3_600,
  refundPolicy: 'refused',
  timeZone: 'UTC',
  lowBalance: [],
  dayCap: null,
  monthCap: null,
  from: 'any',
  marginMin: null,
  belowMargin: 'allow',
  smppBinds: 4,
  smppWindow: 10,
  smppDataCoding0: 'gsm7',
  smppLong: 'payload',
  textDays: 90,
  numberDays: 400,
  recordDays: 3_650,
  storeText: 'yes',
  callbackAllow: [],
} as const;

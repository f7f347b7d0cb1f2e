/* The closed lists of words in the settings and rules of accounts, and the forms of paces. */

import { zeroMicros } from './money.ts';

/**
 * When the price of a part goes back: never; when the part certainly never reached a carrier; when no carrier accepted it,
 * because it never reached one or was refused; or whenever it was not delivered.
 */
export const refundPolicies = ['never', 'unsent', 'refused', 'undelivered'] as const;
export type RefundPolicy = (typeof refundPolicies)[number];

/** What data_coding 0, the default of the receiving side (SMPP 3.4, section 5.2.19), may mean in what a client submits. */
export const smppDataCodings0 = ['gsm7', 'gsm7-packed', 'latin1', 'ascii'] as const;
export type SmppDataCoding0 = (typeof smppDataCodings0)[number];

/** How a client's session gets a message longer than short_message: in message_payload, or in parts with user data headers. */
export const smppLongs = ['payload', 'udh'] as const;
export type SmppLong = (typeof smppLongs)[number];

/** In the order in which they are checked. */
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

/** Whether a rule is checked, and whether a message that breaks it is counted and sent, or counted and refused. */
export const ruleModes = ['off', 'watch', 'refuse'] as const;
export type RuleMode = (typeof ruleModes)[number];

/** The modes of rules of types of numbers, as the operator writes them: `allow` stands for off. */
export const numberModes = ['allow', 'watch', 'refuse'] as const;
export type NumberMode = (typeof numberModes)[number];

/** Rules of types of numbers: each is a mode and nothing else. */
const numberRules = ['premium', 'unknown', 'fixed-line'] as const satisfies readonly RuleName[];

/** Rules whose mode is a setting of its own. */
export const rulesWithSettings = ruleNames.filter((rule) => !isNumberRule(rule));

function isNumberRule(rule: RuleName): rule is (typeof numberRules)[number] {
  return numberRules.some((each) => each === rule);
}

/** A number in any period of so many seconds. */
export interface Pace {
  readonly count: number;
  readonly seconds: number;
}

/** A pace for numbers with the same leading digits, and how many digits. */
export interface PrefixPace extends Pace {
  readonly digits: number;
}

/** The default settings of a new account. It has no rules. */
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
} as const;

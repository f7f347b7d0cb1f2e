import { marginModes, formatMarginMin, parseMarginMin } from '../../values/margin.ts';
import type { MarginMin } from '../../values/margin.ts';
import {
  numberModes,
  refundPolicies,
  ruleModes,
  rulesWithSettings,
  smppDataCodings0,
  smppLongs,
} from '../../values/account.ts';
import type { Pace, PrefixPace } from '../../values/account.ts';
import { ok, refused } from '../../values/result.ts';
import type { Result } from '../../values/result.ts';
import { isTimeZone } from '../../values/time.ts';
import { allowList, list, orNone } from '../compose.ts';
import type { About, Field } from '../field.ts';
import { amount, amountMax, fieldOf, name, network, oneOf, textThat, wholeNumber } from '../fields.ts';

/* The settings and rules of accounts, as an operator gives and reads them. */

/** UDHI counts parts in one octet (3GPP TS 23.040, 9.2.3.24.1). */
const partsMax = 255;
const receiptWaitMaxSeconds = 30 * 24 * 3_600;
/** Whole units a part, or per cent. */
const marginMax = 1_000_000_000n;
const micros = 1_000_000n;
/** A client that needs more of either should have more accounts. */
const smppBindsMax = 500;
const smppWindowMax = 1_000;
/** Balances below which an alert is raised. */
const thresholdsMax = 10;
/** The largest amount that can be written: a balance may grow beyond one posting. */
const thresholdMax = 999_999_999_999;
const paceMax = 100_000;
const secondsMax = 86_400;
const digitsMax = 14;

interface Written<T> {
  readonly example: string;
  readonly read: (given: string) => Result<T, string>;
  readonly text: (value: T) => string;
}

/** A value with a text form in JSON, too. */
function written<T>(about: About, { example, read, text }: Written<T>): Field<T, 'must'> {
  return fieldOf<T>(about, {
    placeholder: '<text>',
    schema: { type: 'string' },
    example,
    read: (given) => read(String(given)),
    json: text,
    fromJson: (json) => {
      const value = read(String(json));
      if (!value.ok) throw new TypeError(`the gateway answered no ${example}`);
      return value.value;
    },
  });
}

export function timeZone(about: About): Field<string, 'must'> {
  const wants = 'must be a time zone such as UTC or Europe/Zurich';
  return textThat(about, isTimeZone, { placeholder: '<name>', wants, example: 'Europe/Zurich' });
}

function marginMin(about: About): Field<MarginMin, 'must'> {
  return written(about, {
    example: '15%',
    read: (given) => {
      const read = parseMarginMin(given);
      if (!read.ok) return read;
      const { leastLeft } = read.value;
      const isWithin = -marginMax * micros <= leastLeft && leastLeft <= marginMax * micros;
      return isWithin ? read : refused(`must be from -${marginMax} to ${marginMax}`);
    },
    text: formatMarginMin,
  });
}

const pacePattern = /^(\d{1,6})\/(\d{0,5})s$/;

function readPace(typed: string): Result<Pace, string> {
  const [, count, seconds = ''] = pacePattern.exec(typed) ?? [];
  const given = { count: Number(count ?? 0), seconds: seconds === '' ? 1 : Number(seconds) };
  const isGood = given.count >= 1 && given.count <= paceMax && given.seconds >= 1 && given.seconds <= secondsMax;
  if (isGood) return ok(given);
  return refused(
    `must be how many in how long, such as 50/s or 5/60s: up to ${paceMax}, in up to ${secondsMax} seconds`,
  );
}

function paceText({ count, seconds }: Pace): string {
  return seconds === 1 ? `${count}/s` : `${count}/${seconds}s`;
}

function pace(about: About): Field<Pace, 'must'> {
  return written(about, { example: '50/s', read: readPace, text: paceText });
}

function prefixPace(about: About): Field<PrefixPace, 'must'> {
  return written(about, {
    example: '100/60s/8',
    read: (given) => {
      const [, before = '', digits = ''] = /^(.+)\/(\d{1,2})$/.exec(given) ?? [];
      const read = readPace(before);
      if (read.ok && Number(digits) >= 1 && Number(digits) <= digitsMax) {
        return ok({ ...read.value, digits: Number(digits) });
      }
      return refused(
        `must be how many in how long to how many digits alike, such as 100/60s/8: up to ${digitsMax} digits`,
      );
    },
    text: (value) => `${paceText(value)}/${value.digits}`,
  });
}

const beginningPattern = /^\+[1-9]\d{0,14}$/;

const beginning = textThat({ summary: 'the first digits of numbers' }, (given) => beginningPattern.test(given), {
  placeholder: '<prefix>',
  wants: 'must be the beginning of a number such as +41900',
  example: '+41900123',
});

/** The gateway checks that there is such a country. */
const area = textThat(
  { summary: 'a country, or the first digits of numbers' },
  (given) => beginningPattern.test(given) || /^[a-z]{2}$/i.test(given),
  {
    placeholder: '<area>',
    wants: 'must be a country such as CH, or the beginning of a number such as +4179',
    example: 'CH',
  },
  (given) => given.toUpperCase(),
);

/** The gateway checks the form of senders. */
const sender = textThat({ summary: 'a sender' }, (given) => given !== '', {
  placeholder: '<sender>',
  wants: 'must be a sender, the beginning of one with a * behind it, or a kind such as kind:numeric',
  example: 'ACME',
});

const ruleMode = textThat(
  { summary: 'a rule with its mode' },
  (given) => {
    const [rule, mode, ...rest] = given.split('=');
    return (
      rest.length === 0 && rulesWithSettings.some((each) => each === rule) && ruleModes.some((each) => each === mode)
    );
  },
  {
    placeholder: '<rule>',
    wants: `must be a rule with its mode, such as rate=watch; rules are ${rulesWithSettings.join(', ')}, modes ${ruleModes.join(', ')}`,
    example: 'rate=watch',
  },
);

const cap = { min: 0, max: amountMax };

export const accountSettings = {
  creditLimit: amount({ ...cap, summary: 'how far below 0 its balance may go' }),
  partsMax: wholeNumber({ min: 1, max: partsMax, summary: `parts that a message may have, up to ${partsMax}` }),
  receiptWaitSeconds: wholeNumber({
    min: 1,
    max: receiptWaitMaxSeconds,
    summary: 'how long a receipt is waited for after the end of its message’s validity',
    unit: 'seconds',
  }),
  refundPolicy: oneOf(refundPolicies, {
    summary:
      'refunds of parts: none (never), those that reached no carrier (unsent), those that no carrier accepted (refused), or all that were not delivered (undelivered); never one in doubt',
    example: 'refused',
  }),
  timeZone: timeZone({ summary: 'time zone of its days and months, such as Europe/Zurich' }),
  lowBalance: list(amount({ min: -thresholdMax, max: thresholdMax, summary: 'a balance' }), {
    max: thresholdsMax,
    summary: 'balances below which an alert is raised: 50,10 or none',
    placeholder: '<amounts>',
    defaultText: 'none',
  }),
  dayCap: orNone(amount({ ...cap, summary: 'most that it may spend in a day, or none' })),
  monthCap: orNone(amount({ ...cap, summary: 'most that it may spend in a month, or none' })),
  from: allowList(network({ summary: 'an address' }), {
    summary: 'addresses that its requests may come from: 192.0.2.0/24,2001:db8::1, any, or "" for nothing',
    placeholder: '<addresses>',
  }),
  marginMin: orNone(
    marginMin({
      summary: 'least margin of a part’s price after the carrier’s cost: 0.002, 15% of the price, or none',
      placeholder: '<amount>',
    }),
  ),
  belowMargin: oneOf(marginModes, {
    summary: 'action for a message with a smaller margin: refuse takes such carriers out of its routes',
  }),
  smppBinds: wholeNumber({
    min: 1,
    max: smppBindsMax,
    summary: `SMPP sessions that it may have bound, up to ${smppBindsMax}`,
  }),
  smppWindow: wholeNumber({
    min: 1,
    max: smppWindowMax,
    summary: `requests of a session that may wait for an answer, up to ${smppWindowMax}`,
  }),
  smppDataCoding0: oneOf(smppDataCodings0, {
    summary: 'meaning of data_coding 0 in its messages over SMPP',
    option: 'smpp-data-coding-0',
    title: 'SMPP DATA CODING 0',
  }),
  smppLong: oneOf(smppLongs, {
    summary: 'how its sessions get long inbound messages: in message_payload, or in parts with headers (udh)',
  }),
};

const numberMode = { defaultText: 'allow' };
const none = { defaultText: 'none' };

/** No rule is checked until it is set. */
export const ruleSettings = {
  senders: allowList(sender, {
    summary:
      'senders that it may use: ACME,+41*,kind:short-code (also kind:numeric, kind:alphanumeric), any, or "" for nothing',
    defaultText: 'any',
  }),
  allowCountries: allowList(area, {
    summary: 'countries and beginnings of numbers that it may send to: CH,DE,+4179, any, or "" for nothing',
    defaultText: 'any',
  }),
  denyCountries: list(area, { ...none, summary: 'countries that it may not send to, whatever is allowed, or none' }),
  premium: oneOf(numberModes, { ...numberMode, summary: 'numbers of premium rate and shared cost' }),
  unknown: oneOf(numberModes, { ...numberMode, summary: 'ranges of numbers that are not known to be in use' }),
  fixedLine: oneOf(numberModes, {
    ...numberMode,
    summary: 'numbers of fixed lines, where mobile numbers look different',
  }),
  allowPrefixes: allowList(beginning, {
    summary:
      'numbers that pass though they are premium, unknown or of a fixed line: +41900123,+4413, any, or "" for nothing',
    defaultText: '""',
  }),
  rate: orNone(pace({ ...none, summary: 'parts it may send: 50/s or 100/60s, or none', placeholder: '<parts>' })),
  burst: orNone(
    wholeNumber({
      min: 1,
      max: paceMax,
      summary: 'parts that may go at once after a pause, or none for those of a second',
      placeholder: '<parts>',
      ...none,
    }),
  ),
  receiverVelocity: orNone(
    pace({
      ...none,
      summary:
        'limit of messages to one receiver: 5/60s, or none; all digits of its number count, and too many digits are --unknown',
      placeholder: '<messages>',
    }),
  ),
  prefixVelocity: orNone(
    prefixPace({
      ...none,
      summary:
        'limit of messages to numbers that begin with the same 1 to 14 digits: 100/60s/8 for 100 a minute by 8 digits, or none',
      placeholder: '<messages>',
    }),
  ),
  repeatSeconds: orNone(
    wholeNumber({
      min: 1,
      max: secondsMax,
      summary:
        'for how long the same text may not go to the same receiver, or none; blanks, case and invisible characters do not count',
      unit: 'seconds',
      ...none,
    }),
  ),
  ruleModes: list(ruleMode, {
    summary: 'modes of rules that are set: rate=watch,repeat=off',
    defaultText: 'refuse',
  }),
};

export const accountName = name({ summary: 'name of the account' });

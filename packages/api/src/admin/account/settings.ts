import { marginModes, formatMarginMin, parseMarginMin, type MarginMin } from '../../values/margin.ts';
import {
  numberModes,
  refundPolicies,
  ruleModes,
  rulesWithSettings,
  defaultCodings,
  smppLongs,
  storeTexts,
  type Pace,
  type PrefixPace,
} from '../../values/account.ts';
import { ok, refused, type Result } from '../../values/result.ts';
import { isTimeZone } from '../../values/time.ts';
import { sourceAddresses } from './key-fields.ts';
import { allowList, described, group, list, orNone } from '../../fields/compose.ts';
import type { About, Field } from '../../fields/field.ts';
import { durationIn } from '../../fields/duration.ts';
import { amount, amountMax, fieldOf, name, oneOf, textThat, typed, wholeNumber } from '../../fields/fields.ts';
import { allowedRanges } from '../notification/webhook-settings.ts';

/* The fields of an account's settings and rules. */

/** The user data header numbers the parts in one octet (3GPP TS 23.040, section 9.2.3.24.1). */
const partsMax = 255;
const receiptWaitMaxSeconds = 30 * 24 * 3_600;
/** The largest least margin, in whole currency units per part or in per cent. */
const marginMax = 1_000_000_000n;
const micros = 1_000_000n;
const smppBindsMax = 500;
const smppWindowMax = 1_000;
const thresholdsMax = 10;
/** The largest amount that can be stored. It is above `amountMax`, because a balance may exceed one posting. */
const thresholdMax = 999_999_999_999;
const paceMax = 100_000;
const secondsMax = 86_400;
const digitsMax = 14;
/** The longest time to keep data: a hundred years. */
const daysMax = 36_500;

interface Written<T> {
  readonly example: string;
  readonly read: (given: string) => Result<T, string>;
  readonly text: (value: T) => string;
}

/** A field whose value is a text on the command line and in JSON. */
function written<T>(about: About, { example, read, text }: Written<T>): Field<T, 'must'> {
  return fieldOf<T>(about, {
    placeholder: '<text>',
    schema: { type: 'string' },
    example,
    read: typed(read),
    json: text,
    fromJson: (json) => {
      const value = read(String(json));
      if (!value.ok)
        throw new TypeError(`the gateway's answer has a value of the wrong form; a right value is ${example}`);
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

function readPace(text: string): Result<Pace, string> {
  const [, count, seconds = ''] = pacePattern.exec(text) ?? [];
  const given = { count: Number(count ?? 0), seconds: seconds === '' ? 1 : Number(seconds) };
  const isGood = given.count >= 1 && given.count <= paceMax && given.seconds >= 1 && given.seconds <= secondsMax;
  if (isGood) return ok(given);
  return refused(
    `must be a count and a period, such as 50/s or 5/60s; at most ${paceMax} in at most ${secondsMax} seconds`,
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
        `must be a count, a period and a number of leading digits, such as 100/60s/8; at most ${digitsMax} digits`,
      );
    },
    text: (value) => `${paceText(value)}/${value.digits}`,
  });
}

const beginningPattern = /^\+[1-9]\d{0,14}$/;

const beginning = textThat({ summary: 'first digits of phone numbers' }, (given) => beginningPattern.test(given), {
  placeholder: '<prefix>',
  wants: 'must be the first digits of a number with a plus sign, such as +41900',
  example: '+41900123',
});

/** The gateway checks later whether the country exists. */
const area = textThat(
  { summary: 'a country code, or the first digits of phone numbers' },
  (given) => beginningPattern.test(given) || /^[a-z]{2}$/i.test(given),
  {
    placeholder: '<area>',
    wants: 'must be a country code such as CH, or the first digits of a number such as +4179',
    example: 'CH',
  },
  (given) => given.toUpperCase(),
);

/** The gateway checks the form of a sender later. */
const sender = textThat({ summary: 'a sender' }, (given) => given !== '', {
  placeholder: '<sender>',
  wants: 'must be a sender such as ACME, the first characters of senders such as AC*, or a kind such as kind:numeric',
  example: 'ACME',
});

const ruleMode = textThat(
  { summary: 'a rule and its mode' },
  (given) => {
    const [rule, mode, ...rest] = given.split('=');
    return (
      rest.length === 0 && rulesWithSettings.some((each) => each === rule) && ruleModes.some((each) => each === mode)
    );
  },
  {
    placeholder: '<rule>',
    wants: `must be a rule and its mode, such as rate=watch; the rules are ${rulesWithSettings.join(', ')}, the modes are ${ruleModes.join(', ')}`,
    example: 'rate=watch',
  },
);

const days = { min: 1, max: daysMax };
const cap = { min: 0, max: amountMax, special: { none: 'no cap' } };

/** The settings of an account that always have a value. */
export const accountSettings = {
  ...group('Money', {
    creditLimit: amount({ min: 0, max: amountMax, summary: 'how far the balance may fall below 0' }),
    refundPolicy: oneOf(refundPolicies, {
      label: 'Refund',
      summary: 'parts to refund; never parts in doubt',
      words: {
        never: 'Nothing',
        unsent: 'Parts that reached no carrier',
        refused: 'Also parts that no carrier accepted',
        undelivered: 'All parts not delivered',
      },
      example: 'refused',
    }),
    timeZone: timeZone({ summary: 'time zone in which days and months of the account begin, such as Europe/Zurich' }),
    lowBalance: list(amount({ min: -thresholdMax, max: thresholdMax, summary: 'a balance' }), {
      max: thresholdsMax,
      summary: 'balances below which an alarm opens and the account is notified: a list such as 50,10',
      special: { '': 'no alarm' },
      placeholder: '<amounts>',
      defaultText: 'none',
    }),
    dayCap: orNone(amount({ ...cap, summary: 'most that the account may spend in a day' })),
    monthCap: orNone(amount({ ...cap, summary: 'most that the account may spend in a month' })),
    marginMin: orNone(
      marginMin({
        label: 'Least margin',
        summary:
          'least margin per part (price less carrier’s cost): an amount such as 0.002, or a share of the price such as 15%',
        special: { none: 'any margin' },
        placeholder: '<amount>',
      }),
    ),
    belowMargin: oneOf(marginModes, {
      label: 'Below the least margin',
      summary: 'action when the margin is smaller than the least margin',
      words: { allow: 'Send', alert: 'Send and open an alarm', refuse: 'Do not use such a carrier' },
    }),
  }),
  ...group('Messages', {
    partsMax: wholeNumber({
      min: 1,
      max: partsMax,
      label: 'Most parts',
      summary: `most parts in one message, up to ${partsMax}`,
    }),
    receiptWaitSeconds: durationIn('s', {
      min: 1,
      max: receiptWaitMaxSeconds,
      label: 'Wait for receipts',
      summary: 'how long the gateway waits for a delivery receipt after the validity of the message ends',
    }),
  }),
  ...group('Access', {
    from: sourceAddresses,
    callbackAllow: described(allowedRanges, {
      label: 'Private callback addresses',
      summary: 'private addresses that callback URLs of messages may lead to: a list such as 10.1.0.0/16',
    }),
  }),
  ...group('SMPP', {
    smppBinds: wholeNumber({
      min: 1,
      max: smppBindsMax,
      label: 'SMPP sessions',
      summary: `most SMPP sessions bound at the same time, up to ${smppBindsMax}`,
    }),
    smppWindow: wholeNumber({
      min: 1,
      max: smppWindowMax,
      summary: `most unanswered requests on each SMPP session, up to ${smppWindowMax}`,
    }),
    smppDataCoding0: oneOf(defaultCodings, {
      summary: 'encoding that data_coding 0 means in messages from the account’s SMPP clients',
      option: 'smpp-data-coding-0',
      label: 'SMPP data coding 0',
    }),
    smppLong: oneOf(smppLongs, {
      label: 'Long inbound messages',
      summary: 'how SMPP sessions get long inbound messages',
      words: { payload: 'Whole, in message_payload', udh: 'In parts with user data headers' },
    }),
  }),
  ...group('Kept data', {
    textDays: durationIn('days', { ...days, label: 'Keep texts', summary: 'how long the texts of messages are kept' }),
    numberDays: durationIn('days', {
      ...days,
      label: 'Keep numbers',
      summary: 'how long the phone numbers of messages are kept; at least as long as the texts',
    }),
    recordDays: durationIn('days', {
      ...days,
      label: 'Keep records',
      summary: 'how long the other data of messages is kept; at least as long as the numbers',
    }),
    storeText: oneOf(storeTexts, {
      label: 'Store texts',
      summary: 'whether texts are kept',
      words: { yes: 'Yes', no: 'Delete each as soon as no carrier needs it' },
    }),
  }),
};

const numberMode = {
  defaultText: 'allow',
  words: { allow: 'Send', watch: 'Send and count', refuse: 'Refuse' },
};
const none = { defaultText: 'none' };
const noLimit = { ...none, special: { none: 'no limit' } };

/** The gateway checks only the rules that the operator has set. */
export const ruleSettings = {
  ...group('Rules', {
    senders: allowList(sender, {
      label: 'Allowed senders',
      summary: 'allowed senders: a list such as ACME,+41*,kind:short-code (also kind:numeric, kind:alphanumeric)',
      special: { any: 'every sender', '': 'no sender' },
      defaultText: 'any',
    }),
    allowCountries: allowList(area, {
      label: 'Allowed destinations',
      summary: 'allowed destinations: a list of countries and first digits such as CH,DE,+4179',
      special: { any: 'every destination', '': 'no destination' },
      defaultText: 'any',
    }),
    denyCountries: list(area, {
      ...none,
      label: 'Forbidden destinations',
      summary: 'forbidden destinations, even if they are allowed otherwise: a list such as CH,+4179',
      special: { '': 'no destination' },
    }),
    premium: oneOf(numberModes, {
      ...numberMode,
      label: 'Premium-rate numbers',
      summary: 'action for messages to premium-rate and shared-cost numbers',
    }),
    unknown: oneOf(numberModes, {
      ...numberMode,
      label: 'Unknown numbers',
      summary: 'action for messages to number ranges that are not known to be in use',
    }),
    fixedLine: oneOf(numberModes, {
      ...numberMode,
      label: 'Fixed-line numbers',
      summary: 'action for messages to fixed-line numbers, in countries where they differ from mobile numbers',
    }),
    allowPrefixes: allowList(beginning, {
      label: 'Exceptions',
      summary: 'exceptions from premium, unknown and fixed-line: first digits such as +41900123,+4413',
      special: { any: 'every number', '': 'no exception' },
      defaultText: '""',
    }),
    ruleModes: list(ruleMode, {
      label: 'Modes',
      summary: 'modes of the rules: a list such as rate=watch,repeat=off',
      special: { '': 'all refuse' },
      defaultText: 'refuse',
    }),
  }),
  ...group('Rates', {
    rate: orNone(
      pace({
        ...noLimit,
        label: 'Rate limit',
        summary: 'limit of parts, such as 50/s or 100/60s',
        placeholder: '<parts>',
      }),
    ),
    burst: orNone(
      wholeNumber({
        min: 1,
        max: paceMax,
        summary: 'most parts at once after a pause',
        special: { none: 'the parts of one second' },
        placeholder: '<parts>',
        ...none,
      }),
    ),
    receiverVelocity: orNone(
      pace({
        ...noLimit,
        label: 'Limit per receiver',
        summary: 'limit of messages to one receiver, such as 5/60s',
        placeholder: '<messages>',
      }),
    ),
    prefixVelocity: orNone(
      prefixPace({
        ...noLimit,
        label: 'Limit per prefix',
        summary:
          'limit of messages to numbers with the same first digits; 100/60s/8 allows 100 per minute for each 8 first digits',
        placeholder: '<messages>',
      }),
    ),
    repeatSeconds: orNone(
      durationIn('s', {
        min: 1,
        max: secondsMax,
        label: 'Refuse repeats within',
        summary: 'how long the same text to the same receiver is refused as a repeat; case and blanks do not count',
        special: { none: 'repeats allowed' },
        ...none,
      }),
    ),
  }),
};

export const accountName = name({ summary: 'name of the account' });

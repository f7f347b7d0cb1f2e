import type { Command } from '../command.ts';

/* The headings in the help of a command with many options. An option that is in no group stands under `Further options`. */

/** A command with more options than this has groups. */
const ungroupedMax = 15;

type Groups = readonly (readonly [heading: string, options: string])[];

const ofCarrier: Groups = [
  [
    'Connection',
    'host port system-id password password-file password-stdin system-type bind version address-range links',
  ],
  ['Receiver session', 'receiver-host receiver-port receiver-system-id receiver-password-file'],
  ['TLS', 'tls tls-server-name tls-ca-file tls-certificate-file tls-key-file'],
  ['Limits and times', 'window throughput answer-timeout-ms enquire-link-ms back-off-min-ms back-off-max-ms'],
  ['Doubts, receipts and costs', 'in-doubt id-rule text-receipts registered-delivery cost-list preset'],
  [
    'Numbers',
    'sender-international sender-short-code sender-alphanumeric receiver-number source-address-default number-form country-code',
  ],
  [
    'Encodings',
    'gsm-coding gsm-data-coding gsm-flash-data-coding ucs-coding ucs-data-coding ucs-flash-data-coding inbound-codings',
  ],
  ['Messages', 'long-messages validity-form extra-tlvs pass-tlvs status-classes'],
];

const ofAccount: Groups = [
  [
    'Money',
    'currency balance price-list credit-limit refund-policy low-balance day-cap month-cap margin-min below-margin time-zone',
  ],
  ['Messages', 'parts-max receipt-wait-seconds'],
  ['SMPP', 'smpp-binds smpp-window smpp-data-coding-0 smpp-long'],
  ['Kept data', 'text-days number-days record-days store-text'],
  ['Rules', 'from senders allow-countries deny-countries premium unknown fixed-line allow-prefixes rule-modes'],
  ['Rates', 'rate burst receiver-velocity prefix-velocity repeat-seconds'],
];

const groups: { readonly [words: string]: Groups } = {
  'carrier add': ofCarrier,
  'carrier set': ofCarrier,
  'account add': ofAccount,
  'account set': ofAccount,
  'route set': [
    ['The route', 'prefix sender account encoding carrier'],
    ['Its new settings', 'new-carrier rank weight cost after by new-prefix new-sender new-account new-encoding'],
  ],
  'price import': [
    ['The file', 'format mapping'],
    ['The list', 'list currency base merge replace effective'],
    ['Safety', 'threshold max-removed allow-free allow-empty dry-run yes'],
  ],
  simulate: [
    ['Port and login', 'port host system-id password binds'],
    ['TLS', 'tls-cert tls-key tls-ca'],
    ['Answers and receipts', 'receipt-delay-ms retry-ms answer-delay-ms message-ids receipt-ids magic ordinary'],
    ['Limits', 'throughput throttle-chance window'],
    ['Inbound messages', 'inbound from to'],
    ['Journal', 'journal journal-texts'],
  ],
};

/** The heading above an option; undefined for a command without groups. */
export function headingOf({ words, options = [] }: Command, option: string): string | undefined {
  if (options.length <= ungroupedMax) return undefined;
  const found = groups[words]?.find(([, names]) => names.split(' ').includes(option));
  return `${found?.[0] ?? 'Further options'}:`;
}

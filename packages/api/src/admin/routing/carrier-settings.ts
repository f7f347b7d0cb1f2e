import { inboundCodings, inDoubtPolicies } from '../../values/routing.ts';
import { code, codeTable, numberType, pem, tlvs, vendorTags } from './carrier-values.ts';
import { optional, orNone } from '../compose.ts';
import type { Field, Values } from '../field.ts';
import { ascii, host, oneOf, text, textThat, wholeNumber } from '../fields.ts';

/*
 * The settings of a carrier, a line each: option, type and default. The gateway's types, the command line's options and
 * help, and `carrier show` are made from these tables.
 */

/** Octets of system_id and system_type (SMPP 3.4, table 4-1), and of address_range (section 4.1.1). */
const systemId = { min: 1, max: 15, placeholder: '<id>' };
const systemTypeMax = 12;
const addressRangeMax = 40;
/** Octets of a password. SMPP 3.4 allows 8, but some carriers hand out longer ones and want all of it. */
const password = { max: 64, placeholder: '<password>', isSecret: true };
/** Requests in flight: carriers grant tens, and each costs memory until its answer comes. */
const windowMax = 1_000;
const port = { min: 1, max: 65_535, placeholder: '<port>' };
const octet = { min: 0, max: 0xff };
const timeoutMs = { min: 100, max: 600_000, unit: 'ms' };
const backOffMs = { min: 1, max: 3_600_000, unit: 'ms' };

/** A setting that may be none, which is its default. */
function noneByDefault<T>(field: Field<T, 'must'>): Field<T | null, 'may'> {
  return optional(orNone(field), null);
}

const countryCode = textThat(
  { summary: 'country code of numbers that come without one, as 0791112233; or none, for that of the other number' },
  (given) => /^\d{1,3}$/.test(given),
  { placeholder: '<code>', wants: 'must be the code of a country, such as 41, or none', example: '41' },
);

/** The carrier's address, our credentials there, and its limits. */
export const settingFields = {
  host: host({ summary: 'host name or IP address of its SMSC' }),
  port: wholeNumber({ ...port, summary: 'port of its SMSC' }),
  systemId: ascii({ ...systemId, summary: 'our system_id there, up to 15 characters' }),
  password: ascii({
    ...password,
    summary: 'our password there, up to 64 characters, or "" for none',
    typed: ['value', 'file', 'stdin'],
  }),
  receiverPassword: noneByDefault(
    ascii({ ...password, summary: 'password of the receiver, or none for that of the transmitter', typed: ['file'] }),
  ),
  tlsKey: noneByDefault(
    pem({ summary: 'PEM: the key of our certificate, without a passphrase; or none', isSecret: true }),
  ),
  systemType: optional(
    ascii({
      max: systemTypeMax,
      summary: 'system_type that some carriers ask for, up to 12 characters',
      placeholder: '<type>',
    }),
    '',
  ),
  window: optional(wholeNumber({ min: 1, max: windowMax, summary: 'requests that a link may have in flight' }), 10),
  throughput: optional(
    wholeNumber({ min: 0, max: 100_000, summary: 'messages a second for each link; 0 sets no limit' }),
    0,
  ),
  links: optional(wholeNumber({ min: 1, max: 64, summary: 'links to keep bound at once' }), 1),
  inDoubt: optional(oneOf(inDoubtPolicies, { summary: 'action for a part without an answer' }), 'resend'),
  // `same` compares as text, without regard to case and leading zeros of digits; `hex-answer`: the id in the answer is
  // hexadecimal and the one in the receipt decimal; `hex-receipt`: the reverse.
  idRule: optional(
    oneOf(['auto', 'same', 'hex-answer', 'hex-receipt'], {
      summary: 'how ids in answers and receipts compare; auto learns it from the first receipts, see carrier learned',
    }),
    'auto',
  ),
};

/** How the carrier speaks SMPP where the standard leaves a choice and carriers differ. The defaults are the preset `standard`. */
export const profileFields = {
  bind: optional(
    oneOf(['transceiver', 'separate'], { summary: 'one transceiver, or transmitter and receiver apart' }),
    'transceiver',
  ),
  version: optional(oneOf(['3.3', '3.4', '5.0'], { summary: 'SMPP version to bind with' }), '3.4'),
  addressRange: optional(
    ascii({ max: addressRangeMax, summary: 'address_range of the bind', placeholder: '<range>' }),
    '',
  ),
  receiverHost: noneByDefault(
    host({ summary: 'where the receiver binds, or none for the host of the transmitter; needs --bind separate' }),
  ),
  receiverPort: noneByDefault(
    wholeNumber({ ...port, summary: 'port of the receiver, or none for that of the transmitter' }),
  ),
  receiverSystemId: noneByDefault(
    ascii({ ...systemId, summary: 'system_id of the receiver, or none for that of the transmitter' }),
  ),
  senderInternational: optional(numberType({ summary: 'TON/NPI of a sender that is an international number' }), {
    ton: 1,
    npi: 1,
  }),
  senderShortCode: optional(numberType({ summary: 'TON/NPI of a sender that is a short code' }), { ton: 3, npi: 0 }),
  senderAlphanumeric: optional(numberType({ summary: 'TON/NPI of a sender that is a name' }), { ton: 5, npi: 0 }),
  receiverNumber: optional(numberType({ summary: 'TON/NPI of the receiver' }), { ton: 1, npi: 1 }),
  sourceAddressDefault: noneByDefault(
    text({
      summary: "sender to send again with, once, where the carrier refuses a message's own (ESME_RINVSRCADR); or none",
      placeholder: '<sender>',
      example: 'Acme',
    }),
  ),
  numberForm: optional(
    oneOf(['bare', 'plus', 'zeros'], { summary: 'international numbers as bare digits, with + or with 00' }),
    'bare',
  ),
  countryCode: noneByDefault(countryCode),
  gsmCoding: optional(
    oneOf(['gsm7', 'gsm7-packed', 'latin1', 'ascii'], { summary: 'how texts in the GSM alphabet are written' }),
    'gsm7',
  ),
  gsmDataCoding: optional(code({ ...octet, summary: 'data_coding of texts in the GSM alphabet' }), 0x00),
  gsmFlashDataCoding: optional(code({ ...octet, summary: 'the same for flash messages' }), 0x10),
  ucsCoding: optional(oneOf(['ucs2', 'ucs2-le'], { summary: 'how other texts are written' }), 'ucs2'),
  ucsDataCoding: optional(code({ ...octet, summary: 'data_coding of other texts' }), 0x08),
  ucsFlashDataCoding: optional(code({ ...octet, summary: 'the same for flash messages' }), 0x18),
  inboundCodings: optional(
    codeTable(inboundCodings, {
      ...octet,
      summary: 'how inbound messages are read, by data_coding: 0=latin1,8=ucs2-le',
    }),
    {},
  ),
  longMessages: optional(
    oneOf(['udh', 'sar', 'payload'], {
      summary: 'how long messages go: user data headers, sar_ TLVs, or whole in message_payload',
    }),
    'udh',
  ),
  validityForm: optional(
    oneOf(['none', 'relative', 'absolute'], { summary: 'how the end of the validity is written' }),
    'none',
  ),
  registeredDelivery: optional(code({ ...octet, summary: 'registered_delivery that asks for a receipt' }), 0x01),
  textReceipts: optional(
    oneOf(['auto', 'on', 'off'], {
      summary: 'read an unmarked text as a receipt; auto does so until the carrier marks a receipt by esm_class or TLV',
    }),
    'auto',
  ),
  extraTlvs: optional(tlvs({ summary: 'TLVs to send with each message: 0x1400=4a6f,...' }), []),
  passTlvs: optional(
    vendorTags({
      summary:
        "pass on these of a client's vendor parameters, such as 0x1400,0x1401; any passes on all, an empty text none",
    }),
    [],
  ),
  // 0 is ESME_ROK: an acceptance, and nothing else.
  statusClasses: optional(
    codeTable(['temporary', 'permanent', 'throttled'], {
      min: 1,
      max: 0xff_ff_ff_ff,
      summary:
        'what command_status means where it differs from the standard: 0x405=temporary,0x500=throttled,0x14=permanent',
    }),
    {},
  ),
  tls: optional(oneOf(['off', 'on', 'unverified'], { summary: 'no TLS, TLS, or TLS with any certificate' }), 'off'),
  tlsServerName: noneByDefault(
    host({ summary: 'name that its certificate has, or none for the host', placeholder: '<name>' }),
  ),
  tlsCa: noneByDefault(
    pem({ summary: 'PEM: whose certificates are trusted, or none for those that the system trusts' }),
  ),
  tlsCertificate: noneByDefault(pem({ summary: 'PEM: our certificate, where the carrier wants one; or none' })),
  answerTimeoutMs: optional(
    wholeNumber({ ...timeoutMs, summary: 'how long to wait for an answer; without one the part is in doubt' }),
    30_000,
  ),
  enquireLinkMs: optional(
    wholeNumber({ ...timeoutMs, summary: 'how long a link may be silent before it is asked with enquire_link' }),
    30_000,
  ),
  backOffMinMs: optional(wholeNumber({ ...backOffMs, summary: 'first wait before a link connects again' }), 500),
  backOffMaxMs: optional(wholeNumber({ ...backOffMs, summary: 'longest wait before a link connects again' }), 30_000),
};

type Profile = Values<typeof profileFields>;

/** Profiles to start with, by name: each has its differences from `standard`. */
export const presets: { readonly [name: string]: { readonly summary: string; readonly profile: Partial<Profile> } } = {
  standard: { summary: 'SMPP 3.4 as it is written: unpacked GSM, user data headers, one transceiver', profile: {} },
  latin1: {
    summary: 'data_coding 0 is Latin-1 both ways',
    profile: { gsmCoding: 'latin1', inboundCodings: { '0': 'latin1' } },
  },
  packed: {
    summary: 'data_coding 0 is GSM packed into octets, both ways',
    profile: { gsmCoding: 'gsm7-packed', inboundCodings: { '0': 'gsm7-packed' } },
  },
  pair: { summary: 'a transmitter and a receiver apart', profile: { bind: 'separate' } },
  old: { summary: 'SMPP 3.3: transmitter and receiver apart, no TLVs', profile: { bind: 'separate', version: '3.3' } },
  sar: { summary: 'long messages by sar_ TLVs', profile: { longMessages: 'sar' } },
  payload: { summary: 'long messages whole, in message_payload', profile: { longMessages: 'payload' } },
  plus: { summary: 'numbers with their plus', profile: { numberForm: 'plus' } },
};

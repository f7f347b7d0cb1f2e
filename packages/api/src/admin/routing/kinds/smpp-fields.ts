import { inboundCodings } from '../../../values/routing.ts';
import { code, codeTable, numberType, pem, tlvs, vendorTags } from '../carrier-values.ts';
import { advanced, group, optional, orNone } from '../../../fields/compose.ts';
import { durationIn } from '../../../fields/duration.ts';
import type { Field, Words } from '../../../fields/field.ts';
import { ascii, host, oneOf, text, textThat, wholeNumber } from '../../../fields/fields.ts';

/*
 * The declared settings of a carrier over SMPP. The gateway's types, the forms of the console, the options and help of
 * the command line, and `carrier show` are derived from these tables.
 */

/** Longest system_id and system_type (SMPP 3.4, table 4-1) and address_range (section 4.1.1), in octets. */
const systemId = { min: 1, max: 15, placeholder: '<id>' };
const systemTypeMax = 12;
const addressRangeMax = 40;
/** The longest password, in octets. SMPP 3.4 allows 8, but some carriers issue and require longer passwords. */
const password = { max: 64, placeholder: '<password>', isSecret: true };
const port = { min: 1, max: 65_535, placeholder: '<port>' };
const octet = { min: 0, max: 0xff };
const timeout = { min: 100, max: 600_000 };
const backOff = { min: 1, max: 3_600_000 };

function noneByDefault<T>(field: Field<T, 'must'>): Field<T | null, 'may'> {
  return optional(orNone(field), null);
}

const countryCode = textThat(
  {
    label: 'National country code',
    summary: 'country code of national numbers such as 0791112233 in inbound messages',
    special: { none: 'that of the other number' },
  },
  (given) => /^\d{1,3}$/.test(given),
  { placeholder: '<code>', wants: 'must be the calling code of a country, such as 41, or none', example: '41' },
);

const ofSeparate = {
  special: { none: 'as the transmitter' },
  when: ({ bind }: Words) => bind === 'separate',
};
const ofTls = { when: ({ tls = 'off' }: Words) => tls !== 'off' };

/** How a carrier is reached, and how the gateway binds. */
export const connectionFields = {
  ...group('Address and sign-in', {
    host: host({ summary: 'host name or IP address of the carrier’s SMSC' }),
    port: wholeNumber({ ...port, summary: 'port of the carrier’s SMSC' }),
    systemId: ascii({ ...systemId, summary: 'system_id to bind with, up to 15 characters' }),
    password: ascii({
      ...password,
      summary: 'password to bind with, up to 64 characters',
      special: { '': 'no password' },
      typed: ['value', 'file', 'stdin'],
    }),
  }),
  ...advanced('Receiver session', {
    receiverPassword: noneByDefault(
      ascii({
        ...password,
        ...ofSeparate,
        label: 'Receiver’s password',
        summary: 'password of the receiver session',
        typed: ['file'],
      }),
    ),
  }),
  ...advanced('TLS', {
    tlsKey: noneByDefault(
      pem({
        ...ofTls,
        label: 'Our private key',
        summary: 'PEM file with the private key of our certificate, without a passphrase',
        special: { none: 'no key' },
        isSecret: true,
      }),
    ),
  }),
  ...group('Address and sign-in', {
    systemType: optional(
      ascii({
        max: systemTypeMax,
        summary: 'system_type to bind with, up to 12 characters, if the carrier requires a system_type',
        placeholder: '<type>',
      }),
      '',
    ),
  }),
};

/** The carrier's choices where SMPP leaves a choice. The defaults are the preset `standard`. */
export const profileFields = {
  ...group('Address and sign-in', {
    bind: optional(
      oneOf(['transceiver', 'separate'], {
        label: 'Sessions',
        summary: 'sessions of each link',
        words: { transceiver: 'One transceiver', separate: 'Separate transmitter and receiver' },
      }),
      'transceiver',
    ),
    version: optional(
      oneOf(['3.3', '3.4', '5.0'], { label: 'SMPP version', summary: 'SMPP version to bind with' }),
      '3.4',
    ),
    addressRange: optional(
      ascii({ max: addressRangeMax, summary: 'address_range to bind with', placeholder: '<range>' }),
      '',
    ),
  }),
  ...advanced('Receiver session', {
    receiverHost: noneByDefault(
      host({ ...ofSeparate, label: 'Receiver’s host', summary: 'host of the receiver session' }),
    ),
    receiverPort: noneByDefault(
      wholeNumber({ ...port, ...ofSeparate, label: 'Receiver’s port', summary: 'port of the receiver session' }),
    ),
    receiverSystemId: noneByDefault(
      ascii({
        ...systemId,
        ...ofSeparate,
        label: 'Receiver’s system id',
        summary: 'system_id of the receiver session',
      }),
    ),
  }),
  ...advanced('Numbers', {
    senderInternational: optional(
      numberType({ label: 'International senders', summary: 'TON/NPI of senders that are international numbers' }),
      { ton: 1, npi: 1 },
    ),
    senderShortCode: optional(
      numberType({ label: 'Short-code senders', summary: 'TON/NPI of senders that are short codes' }),
      { ton: 3, npi: 0 },
    ),
    senderAlphanumeric: optional(
      numberType({ label: 'Alphanumeric senders', summary: 'TON/NPI of alphanumeric senders' }),
      { ton: 5, npi: 0 },
    ),
    receiverNumber: optional(numberType({ label: 'Receivers', summary: 'TON/NPI of receivers' }), { ton: 1, npi: 1 }),
    sourceAddressDefault: noneByDefault(
      text({
        label: 'Second sender',
        summary: 'sender for one more attempt, if the carrier refuses the sender of a message (ESME_RINVSRCADR)',
        special: { none: 'no second attempt' },
        placeholder: '<sender>',
        example: 'Acme',
      }),
    ),
    numberForm: optional(
      oneOf(['bare', 'plus', 'zeros'], {
        label: 'Form of numbers',
        summary: 'form of international numbers',
        words: { bare: 'Digits only', plus: 'With +', zeros: 'With 00' },
      }),
      'bare',
    ),
    countryCode: noneByDefault(countryCode),
  }),
  ...advanced('Encodings', {
    gsmCoding: optional(
      oneOf(['gsm7', 'gsm7-packed', 'latin1', 'ascii'], {
        label: 'GSM encoding',
        summary: 'encoding of texts in the GSM alphabet',
      }),
      'gsm7',
    ),
    gsmDataCoding: optional(
      code({ ...octet, label: 'GSM data coding', summary: 'data_coding of texts in the GSM alphabet' }),
      0x00,
    ),
    gsmFlashDataCoding: optional(
      code({ ...octet, label: 'GSM flash data coding', summary: 'data_coding of flash messages in the GSM alphabet' }),
      0x10,
    ),
    ucsCoding: optional(
      oneOf(['ucs2', 'ucs2-le'], { label: 'UCS encoding', summary: 'encoding of texts outside the GSM alphabet' }),
      'ucs2',
    ),
    ucsDataCoding: optional(
      code({ ...octet, label: 'UCS data coding', summary: 'data_coding of texts outside the GSM alphabet' }),
      0x08,
    ),
    ucsFlashDataCoding: optional(
      code({
        ...octet,
        label: 'UCS flash data coding',
        summary: 'data_coding of flash messages outside the GSM alphabet',
      }),
      0x18,
    ),
    inboundCodings: optional(
      codeTable(inboundCodings, {
        ...octet,
        label: 'Inbound encodings',
        summary: 'encodings of inbound messages by data_coding: a list such as 0=latin1,8=ucs2-le',
        special: { '': 'as the standard says' },
      }),
      {},
    ),
  }),
  ...advanced('Messages', {
    longMessages: optional(
      oneOf(['udh', 'sar', 'payload'], {
        summary: 'form of long messages',
        words: {
          udh: 'Parts with user data headers',
          sar: 'Parts with sar_ TLVs',
          payload: 'Whole, in message_payload',
        },
      }),
      'udh',
    ),
    validityForm: optional(
      oneOf(['none', 'relative', 'absolute'], {
        label: 'Validity period',
        summary: 'form of validity_period',
        words: { none: 'Not sent', relative: 'Relative', absolute: 'Absolute' },
      }),
      'none',
    ),
  }),
  ...group('Receipts and ids', {
    registeredDelivery: optional(
      code({
        ...octet,
        label: 'Receipt request',
        summary: 'registered_delivery that requests a delivery receipt',
      }),
      0x01,
    ),
    textReceipts: optional(
      oneOf(['on', 'off'], {
        label: 'Receipts by text',
        summary: 'whether to read a text that looks like a receipt as one, without a mark by esm_class or TLV',
        words: { on: 'Yes', off: 'No' },
      }),
      'off',
    ),
  }),
  ...advanced('Messages', {
    extraTlvs: optional(
      tlvs({
        label: 'Extra TLVs',
        summary: 'TLVs to send with each message: a list such as 0x1400=4a6f,0x1401=00',
        special: { '': 'no TLV' },
      }),
      [],
    ),
    passTlvs: optional(
      vendorTags({
        label: 'TLVs of clients',
        summary: 'vendor TLVs of clients to pass on: a list such as 0x1400,0x1401',
        special: { any: 'every TLV', '': 'no TLV' },
      }),
      [],
    ),
    // The least value is 1, because 0 (ESME_ROK) always means that the carrier accepted the part.
    statusClasses: optional(
      codeTable(['temporary', 'permanent', 'throttled'], {
        min: 1,
        max: 0xff_ff_ff_ff,
        label: 'Meanings of errors',
        summary:
          'meanings of command_status that differ from the standard: a list such as 0x405=temporary,0x500=throttled,0x14=permanent',
        special: { '': 'as the standard says' },
      }),
      {},
    ),
  }),
  ...advanced('TLS', {
    tls: optional(
      oneOf(['off', 'on', 'unverified'], {
        label: 'TLS',
        summary: 'whether connections use TLS',
        words: { off: 'No', on: 'Yes', unverified: 'Yes, with any certificate' },
        warning: ({ tls }) =>
          tls === 'unverified' ? 'Anybody on the way can read and change the messages.' : undefined,
      }),
      'off',
    ),
    tlsServerName: noneByDefault(
      host({
        ...ofTls,
        label: 'Name in the certificate',
        summary: 'host name in the carrier’s certificate',
        special: { none: 'the host' },
        placeholder: '<name>',
      }),
    ),
    tlsCa: noneByDefault(
      pem({
        ...ofTls,
        label: 'Trusted authorities',
        summary: 'PEM file with the trusted certificate authorities',
        special: { none: 'the default authorities' },
      }),
    ),
    tlsCertificate: noneByDefault(
      pem({
        ...ofTls,
        label: 'Our certificate',
        summary: 'PEM file with our client certificate, if the carrier requires a certificate',
        special: { none: 'no certificate' },
      }),
    ),
  }),
  ...advanced('Timers', {
    answerTimeoutMs: optional(
      durationIn('ms', {
        ...timeout,
        label: 'Wait for an answer',
        summary: 'longest wait for an answer; after it, the part is in doubt',
      }),
      30_000,
    ),
    enquireLinkMs: optional(
      durationIn('ms', {
        ...timeout,
        label: 'Silence before enquiring',
        summary: 'longest silence on a link before the gateway sends enquire_link',
      }),
      30_000,
    ),
    backOffMinMs: optional(
      durationIn('ms', {
        ...backOff,
        label: 'First retry after',
        summary: 'first wait before a lost link connects again',
      }),
      500,
    ),
    backOffMaxMs: optional(
      durationIn('ms', {
        ...backOff,
        label: 'Longest retry wait',
        summary: 'longest wait before a lost link connects again',
      }),
      30_000,
    ),
  }),
};

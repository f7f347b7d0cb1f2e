import { inboundCodings } from '../../../values/routing.ts';
import { ok, refused, type Result } from '../../../values/result.ts';
import { code, codeTable, numberType, pem, tlvs, vendorTags } from '../carrier-values.ts';
import { optional, orNone } from '../../../fields/compose.ts';
import type { Field, Values } from '../../../fields/field.ts';
import { ascii, host, oneOf, text, textThat, wholeNumber } from '../../../fields/fields.ts';
import { defaultsOf, givenOf, type CarrierSettingsKind, type SettingFault } from './kind.ts';

/*
 * The settings of a carrier over SMPP. The gateway's types, the options and help of the command line, and
 * `carrier show` are derived from these tables.
 */

/** A message_id has up to 65 octets with its final NUL (SMPP 3.4, 5.2.23); some carriers leave the NUL out. */
const messageIdMax = 65;
/** Longest system_id and system_type (SMPP 3.4, table 4-1) and address_range (section 4.1.1), in octets. */
const systemId = { min: 1, max: 15, placeholder: '<id>' };
const systemTypeMax = 12;
const addressRangeMax = 40;
/** The longest password, in octets. SMPP 3.4 allows 8, but some carriers issue and require longer passwords. */
const password = { max: 64, placeholder: '<password>', isSecret: true };
const port = { min: 1, max: 65_535, placeholder: '<port>' };
const octet = { min: 0, max: 0xff };
const timeoutMs = { min: 100, max: 600_000, unit: 'ms' };
const backOffMs = { min: 1, max: 3_600_000, unit: 'ms' };

function noneByDefault<T>(field: Field<T, 'must'>): Field<T | null, 'may'> {
  return optional(orNone(field), null);
}

const countryCode = textThat(
  {
    summary:
      'country code of national numbers such as 0791112233 in inbound messages, or none for the country code of the other number',
  },
  (given) => /^\d{1,3}$/.test(given),
  { placeholder: '<code>', wants: 'must be the calling code of a country, such as 41, or none', example: '41' },
);

/** How a carrier is reached, and how the gateway binds. */
export const connectionFields = {
  host: host({ summary: 'host name or IP address of the carrier’s SMSC' }),
  port: wholeNumber({ ...port, summary: 'port of the carrier’s SMSC' }),
  systemId: ascii({ ...systemId, summary: 'system_id to bind with, up to 15 characters' }),
  password: ascii({
    ...password,
    summary: 'password to bind with, up to 64 characters, or "" for no password',
    typed: ['value', 'file', 'stdin'],
  }),
  receiverPassword: noneByDefault(
    ascii({
      ...password,
      summary: 'password of the receiver session, or none for the password of the transmitter',
      typed: ['file'],
    }),
  ),
  tlsKey: noneByDefault(
    pem({ summary: 'PEM file with the private key of our certificate, without a passphrase; or none', isSecret: true }),
  ),
  systemType: optional(
    ascii({
      max: systemTypeMax,
      summary: 'system_type to bind with, up to 12 characters, if the carrier requires a system_type',
      placeholder: '<type>',
    }),
    '',
  ),
};

/** The carrier's choices where SMPP leaves a choice. The defaults are the preset `standard`. */
export const profileFields = {
  bind: optional(
    oneOf(['transceiver', 'separate'], {
      summary: 'one transceiver session (transceiver), or separate transmitter and receiver sessions (separate)',
    }),
    'transceiver',
  ),
  version: optional(oneOf(['3.3', '3.4', '5.0'], { summary: 'SMPP version to bind with' }), '3.4'),
  addressRange: optional(
    ascii({ max: addressRangeMax, summary: 'address_range to bind with', placeholder: '<range>' }),
    '',
  ),
  receiverHost: noneByDefault(
    host({ summary: 'host of the receiver session, or none for the host of the transmitter; needs --bind separate' }),
  ),
  receiverPort: noneByDefault(
    wholeNumber({ ...port, summary: 'port of the receiver session, or none for the port of the transmitter' }),
  ),
  receiverSystemId: noneByDefault(
    ascii({ ...systemId, summary: 'system_id of the receiver session, or none for the system_id of the transmitter' }),
  ),
  senderInternational: optional(numberType({ summary: 'TON/NPI of senders that are international numbers' }), {
    ton: 1,
    npi: 1,
  }),
  senderShortCode: optional(numberType({ summary: 'TON/NPI of senders that are short codes' }), { ton: 3, npi: 0 }),
  senderAlphanumeric: optional(numberType({ summary: 'TON/NPI of alphanumeric senders' }), { ton: 5, npi: 0 }),
  receiverNumber: optional(numberType({ summary: 'TON/NPI of receivers' }), { ton: 1, npi: 1 }),
  sourceAddressDefault: noneByDefault(
    text({
      summary: 'sender for one more attempt, if the carrier refuses the sender of a message (ESME_RINVSRCADR); or none',
      placeholder: '<sender>',
      example: 'Acme',
    }),
  ),
  numberForm: optional(
    oneOf(['bare', 'plus', 'zeros'], {
      summary: 'form of international numbers: digits only (bare), with + (plus), or with 00 (zeros)',
    }),
    'bare',
  ),
  countryCode: noneByDefault(countryCode),
  gsmCoding: optional(
    oneOf(['gsm7', 'gsm7-packed', 'latin1', 'ascii'], { summary: 'encoding of texts in the GSM alphabet' }),
    'gsm7',
  ),
  gsmDataCoding: optional(code({ ...octet, summary: 'data_coding of texts in the GSM alphabet' }), 0x00),
  gsmFlashDataCoding: optional(code({ ...octet, summary: 'data_coding of flash messages in the GSM alphabet' }), 0x10),
  ucsCoding: optional(oneOf(['ucs2', 'ucs2-le'], { summary: 'encoding of texts outside the GSM alphabet' }), 'ucs2'),
  ucsDataCoding: optional(code({ ...octet, summary: 'data_coding of texts outside the GSM alphabet' }), 0x08),
  ucsFlashDataCoding: optional(
    code({ ...octet, summary: 'data_coding of flash messages outside the GSM alphabet' }),
    0x18,
  ),
  inboundCodings: optional(
    codeTable(inboundCodings, {
      ...octet,
      summary: 'encodings of inbound messages by data_coding: a list such as 0=latin1,8=ucs2-le',
    }),
    {},
  ),
  longMessages: optional(
    oneOf(['udh', 'sar', 'payload'], {
      summary: 'form of long messages: user data headers (udh), sar_ TLVs (sar), or whole in message_payload (payload)',
    }),
    'udh',
  ),
  validityForm: optional(
    oneOf(['none', 'relative', 'absolute'], {
      summary: 'form of validity_period: none (do not send it), relative or absolute',
    }),
    'none',
  ),
  registeredDelivery: optional(
    code({ ...octet, summary: 'registered_delivery that requests a delivery receipt' }),
    0x01,
  ),
  textReceipts: optional(
    oneOf(['on', 'off'], {
      summary: 'whether to read a text that looks like a receipt as one, without a mark by esm_class or TLV',
    }),
    'off',
  ),
  extraTlvs: optional(tlvs({ summary: 'TLVs to send with each message: a list such as 0x1400=4a6f,0x1401=00' }), []),
  passTlvs: optional(
    vendorTags({
      summary: 'vendor TLVs of clients to pass on: a list such as 0x1400,0x1401, any, or "" for none',
    }),
    [],
  ),
  // The least value is 1, because 0 (ESME_ROK) always means that the carrier accepted the part.
  statusClasses: optional(
    codeTable(['temporary', 'permanent', 'throttled'], {
      min: 1,
      max: 0xff_ff_ff_ff,
      summary:
        'meanings of command_status that differ from the standard: a list such as 0x405=temporary,0x500=throttled,0x14=permanent',
    }),
    {},
  ),
  tls: optional(
    oneOf(['off', 'on', 'unverified'], {
      summary: 'no TLS (off), TLS (on), or TLS that accepts any certificate (unverified)',
    }),
    'off',
  ),
  tlsServerName: noneByDefault(
    host({ summary: 'host name in the carrier’s certificate, or none for the --host name', placeholder: '<name>' }),
  ),
  tlsCa: noneByDefault(
    pem({ summary: 'PEM file with the trusted certificate authorities, or none for the default authorities' }),
  ),
  tlsCertificate: noneByDefault(
    pem({ summary: 'PEM file with our client certificate, if the carrier requires a certificate; or none' }),
  ),
  answerTimeoutMs: optional(
    wholeNumber({ ...timeoutMs, summary: 'longest wait for an answer; after it, the part is in doubt' }),
    30_000,
  ),
  enquireLinkMs: optional(
    wholeNumber({ ...timeoutMs, summary: 'longest silence on a link before the gateway sends enquire_link' }),
    30_000,
  ),
  backOffMinMs: optional(wholeNumber({ ...backOffMs, summary: 'first wait before a lost link connects again' }), 500),
  backOffMaxMs: optional(
    wholeNumber({ ...backOffMs, summary: 'longest wait before a lost link connects again' }),
    30_000,
  ),
};

/**
 * How one carrier uses SMPP, where the standard leaves a choice or carriers deviate from it: a preset with some settings
 * changed.
 */
export type SmppProfile = Values<typeof profileFields>;

/** Named profiles. Each has only the settings that differ from the preset `standard`. */
export const presets: {
  readonly [name: string]: { readonly summary: string; readonly profile: Partial<SmppProfile> };
} = {
  standard: { summary: 'plain SMPP 3.4: unpacked GSM, user data headers, one transceiver', profile: {} },
  latin1: {
    summary: 'data_coding 0 is Latin-1 in both directions',
    profile: { gsmCoding: 'latin1', inboundCodings: { '0': 'latin1' } },
  },
  packed: {
    summary: 'data_coding 0 is packed GSM in both directions',
    profile: { gsmCoding: 'gsm7-packed', inboundCodings: { '0': 'gsm7-packed' } },
  },
  pair: { summary: 'separate transmitter and receiver sessions', profile: { bind: 'separate' } },
  old: {
    summary: 'SMPP 3.3: separate transmitter and receiver sessions, no TLVs',
    profile: { bind: 'separate', version: '3.3' },
  },
  sar: { summary: 'long messages in parts with sar_ TLVs', profile: { longMessages: 'sar' } },
  payload: { summary: 'long messages whole, in message_payload', profile: { longMessages: 'payload' } },
  plus: { summary: 'international numbers with a plus sign', profile: { numberForm: 'plus' } },
};

/** The default of each setting, which follows SMPP 3.4 and suits most carriers. */
// Every setting has a default, so this object has all settings.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const standardProfile = defaultsOf(profileFields) as SmppProfile;

export function profileOf(preset: string, changes: Partial<SmppProfile> = {}): SmppProfile {
  return { ...standardProfile, ...presets[preset]?.profile, ...changes };
}

const { password: _password, receiverPassword: _receiverPassword, tlsKey: _tlsKey, ...openFields } = connectionFields;

/** The steps of `carrier test`. */
export const smppSteps = [
  'connect',
  'bind_transceiver',
  'bind_transmitter',
  'bind_receiver',
  'enquire_link',
  'unbind',
] as const;

type Connection = Values<typeof connectionFields>;
export type SmppSecrets = Pick<Connection, 'password' | 'receiverPassword' | 'tlsKey'>;

export interface SmppOpen extends Omit<Connection, keyof SmppSecrets> {
  readonly kind: 'smpp';
  readonly profile: SmppProfile;
}

export type SmppSettings = SmppOpen & SmppSecrets;

/** The settings in a request. A preset replaces the whole profile. */
export type SmppGiven = Partial<Connection & SmppProfile> & { readonly kind: 'smpp'; readonly preset?: string };

/** A carrier's settings as the operators' API shows them. */
export type SmppShown = Omit<SmppOpen, 'kind'>;

export const smpp: CarrierSettingsKind<SmppOpen, SmppSecrets, SmppGiven, SmppShown> = {
  secrets: ['password', 'receiverPassword', 'tlsKey'],
  idMax: messageIdMax,
  stored: (row) => ({ ...defaultsOf(openFields), ...row, profile: profileOf('standard', row.profile) }),
  change: (given, before) => {
    const { preset } = given;
    const base = before && preset === undefined ? before.profile : profileOf(preset ?? 'standard');
    // By the declaration, each setting of a new carrier has a value.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const settings = { ...before, ...givenOf(connectionFields, given) } as SmppSettings;
    return { ...settings, kind: 'smpp', profile: { ...base, ...givenOf(profileFields, given) } };
  },
  check,
  shown: ({ kind: _kind, ...shown }) => shown,
  connection: ({ profile, ...settings }) => {
    const { systemType, receiverPassword, tlsKey } = settings;
    const { bind, version, addressRange, receiverHost, receiverPort, receiverSystemId } = profile;
    const { tls, tlsServerName, tlsCa, tlsCertificate } = profile;
    return [
      [
        settings.host,
        settings.port,
        settings.systemId,
        settings.password,
        systemType,
        bind,
        version,
        addressRange,
        tls,
      ],
      bind === 'separate' && [receiverHost, receiverPort, receiverSystemId, receiverPassword],
      tls !== 'off' && [tlsServerName, tlsCa, tlsCertificate, tlsKey],
    ];
  },
  takesWhole: ({ profile }) => profile.longMessages === 'payload',
  defaultSender: ({ profile }) => profile.sourceAddressDefault,
  passes: ({ profile }) => profile.passTlvs,
  textReceipts: ({ profile }) => profile.textReceipts,
};

function check({ profile, receiverPassword, tlsKey }: SmppSettings): Result<null, SettingFault> {
  const { backOffMinMs, backOffMaxMs } = profile;
  if (backOffMinMs > backOffMaxMs) {
    const detail = `the first wait (${backOffMinMs} ms) must not exceed the longest wait (${backOffMaxMs} ms): lower the first or raise the longest wait`;
    return refused({ field: 'backOffMaxMs', detail });
  }
  if (profile.version === '3.3' && profile.bind === 'transceiver') {
    return refused({ field: 'version', detail: 'SMPP 3.3 has no transceiver: set bind to separate' });
  }
  if (profile.version === '3.3' && (profile.extraTlvs.length > 0 || profile.longMessages !== 'udh')) {
    const detail = 'SMPP 3.3 has no TLVs: set long-messages to udh, and leave extra-tlvs empty';
    return refused({ field: 'version', detail });
  }
  if (profile.version === '3.3' && profile.passTlvs.length > 0) {
    return refused({ field: 'passTlvs', detail: 'SMPP 3.3 has no optional parameters: leave pass-tlvs empty' });
  }
  const { receiverHost, receiverPort, receiverSystemId } = profile;
  const receiver = { receiverHost, receiverPort, receiverSystemId, receiverPassword };
  const apart = Object.entries(receiver).find(([, value]) => value !== null);
  if (profile.bind === 'transceiver' && apart) {
    const detail = 'only a separate receiver has this setting: set bind to separate, or set this to none';
    return refused({ field: apart[0], detail });
  }
  if ((profile.tlsCertificate === null) !== (tlsKey === null)) {
    return refused({ field: 'tlsKey', detail: 'a certificate and its key must be given together' });
  }
  return ok(null);
}

import type { PassTlvs } from './passed-tlvs.ts';

/*
 * How one carrier speaks SMPP: what the standard leaves open and carriers do differently (smpp-in-the-wild), as data. A
 * profile is the preset `standard` with differences.
 */

/** One session for both directions, or a transmitter and a receiver. */
export const bindModes = ['transceiver', 'separate'] as const;

export const smppVersions = ['3.3', '3.4', '5.0'] as const;

/** How an international number is written as an address: `41791112233`, `+41791112233` or `0041791112233`. */
export const numberForms = ['bare', 'plus', 'zeros'] as const;

/**
 * How a GSM text is written: septets in one octet each or packed, or in the alphabet that the carrier wants instead.
 */
export const gsmCodings = ['gsm7', 'gsm7-packed', 'latin1', 'ascii'] as const;

export const ucsCodings = ['ucs2', 'ucs2-le'] as const;

/** How the octets of an inbound message are read. */
export const inboundCodings = ['gsm7', 'gsm7-packed', 'latin1', 'ascii', 'ucs2', 'ucs2-le', 'binary'] as const;
export type InboundCoding = (typeof inboundCodings)[number];

/** How a long message is sent: parts with user data headers, parts with sar_ TLVs, or whole in message_payload. */
export const longMessageMethods = ['udh', 'sar', 'payload'] as const;

/** How the end of the validity is sent: not at all, or as a relative or an absolute time. */
export const validityForms = ['none', 'relative', 'absolute'] as const;

/**
 * Whether an unmarked text that looks like a receipt is read as one. `auto`: until the carrier has marked a receipt by
 * esm_class or TLV.
 */
export const textReceiptModes = ['auto', 'on', 'off'] as const;
export type TextReceipts = (typeof textReceiptModes)[number];

/** The class of a command_status of submit_sm_resp, if the carrier differs from the standard. */
export const statusClasses = ['temporary', 'permanent', 'throttled'] as const;
export type StatusClass = (typeof statusClasses)[number];

/** `unverified` accepts any certificate, for a carrier without a better one. */
export const tlsModes = ['off', 'on', 'unverified'] as const;

/** Type of number and numbering plan (SMPP 3.4, sections 5.2.5 and 5.2.6). */
export interface AddressType {
  readonly ton: number;
  readonly npi: number;
}

export interface CarrierProfile {
  readonly bind: (typeof bindModes)[number];
  readonly version: (typeof smppVersions)[number];
  /** In the bind; some carriers need one. */
  readonly addressRange: string;
  /** Host, port and login of a separate receiver; null means the transmitter's. */
  readonly receiverHost: string | null;
  readonly receiverPort: number | null;
  readonly receiverSystemId: string | null;

  readonly senderInternational: AddressType;
  readonly senderShortCode: AddressType;
  readonly senderAlphanumeric: AddressType;
  readonly receiverNumber: AddressType;
  readonly numberForm: (typeof numberForms)[number];
  /** Country code of national numbers from this carrier; null means that of the other number. */
  readonly countryCode: string | null;

  readonly gsmCoding: (typeof gsmCodings)[number];
  readonly gsmDataCoding: number;
  readonly gsmFlashDataCoding: number;
  readonly ucsCoding: (typeof ucsCodings)[number];
  readonly ucsDataCoding: number;
  readonly ucsFlashDataCoding: number;
  /** By data_coding, if the carrier differs from the standard. */
  readonly inboundCodings: { readonly [dataCoding: string]: InboundCoding };
  readonly longMessages: (typeof longMessageMethods)[number];

  readonly validityForm: (typeof validityForms)[number];
  readonly registeredDelivery: number;
  readonly textReceipts: TextReceipts;
  /** Sent with each submit_sm: the tag, and the value in hexadecimal. */
  readonly extraTlvs: readonly { readonly tag: number; readonly value: string }[];
  /** Vendor's optional parameters of clients that it accepts, by tag. */
  readonly passTlvs: PassTlvs;
  /** By command_status, if the carrier differs from the standard. */
  readonly statusClasses: { readonly [commandStatus: string]: StatusClass };

  readonly tls: (typeof tlsModes)[number];
  /** The name that the certificate must have; null means the host. */
  readonly tlsServerName: string | null;
  /** PEM: the trusted certificates instead of the system's; and our certificate, if the carrier wants one. */
  readonly tlsCa: string | null;
  readonly tlsCertificate: string | null;

  /** How long the link waits for an answer; then the part is in doubt. */
  readonly answerTimeoutMs: number;
  /** After this silence the link sends an enquire_link. */
  readonly enquireLinkMs: number;
  /** The wait before a link reconnects: it grows from the first value to the second. */
  readonly backOffMinMs: number;
  readonly backOffMaxMs: number;
}

/** What most carriers accept, as in SMPP 3.4. */
export const standardProfile: CarrierProfile = {
  bind: 'transceiver',
  version: '3.4',
  addressRange: '',
  receiverHost: null,
  receiverPort: null,
  receiverSystemId: null,
  senderInternational: { ton: 1, npi: 1 },
  senderShortCode: { ton: 3, npi: 0 },
  senderAlphanumeric: { ton: 5, npi: 0 },
  receiverNumber: { ton: 1, npi: 1 },
  numberForm: 'bare',
  countryCode: null,
  gsmCoding: 'gsm7',
  gsmDataCoding: 0x00,
  gsmFlashDataCoding: 0x10,
  ucsCoding: 'ucs2',
  ucsDataCoding: 0x08,
  ucsFlashDataCoding: 0x18,
  inboundCodings: {},
  longMessages: 'udh',
  validityForm: 'none',
  registeredDelivery: 0x01,
  textReceipts: 'auto',
  extraTlvs: [],
  passTlvs: [],
  statusClasses: {},
  tls: 'off',
  tlsServerName: null,
  tlsCa: null,
  tlsCertificate: null,
  answerTimeoutMs: 30_000,
  enquireLinkMs: 30_000,
  backOffMinMs: 500,
  backOffMaxMs: 30_000,
};

/** Presets by name: each is its differences from `standard`. */
export const presets: {
  readonly [name: string]: { readonly summary: string; readonly profile: Partial<CarrierProfile> };
} = {
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
  old: {
    summary: 'SMPP 3.3: transmitter and receiver apart, no TLVs',
    profile: { bind: 'separate', version: '3.3' },
  },
  sar: { summary: 'long messages by sar_ TLVs', profile: { longMessages: 'sar' } },
  payload: { summary: 'long messages whole, in message_payload', profile: { longMessages: 'payload' } },
  plus: { summary: 'numbers with their plus', profile: { numberForm: 'plus' } },
};

/** The profile of a preset with the operator's settings over it. */
export function profileOf(preset: string, changes: Partial<CarrierProfile> = {}): CarrierProfile {
  return { ...standardProfile, ...presets[preset]?.profile, ...changes };
}

/**
 * A profile in the notation of the command line: `1/1` for a type of number, `0=latin1` for an entry of a table; null
 * for nothing.
 */
export function profileTexts(profile: CarrierProfile): { readonly [K in keyof CarrierProfile]: string | null } {
  return {
    ...profile,
    receiverPort: profile.receiverPort === null ? null : String(profile.receiverPort),
    senderInternational: typeText(profile.senderInternational),
    senderShortCode: typeText(profile.senderShortCode),
    senderAlphanumeric: typeText(profile.senderAlphanumeric),
    receiverNumber: typeText(profile.receiverNumber),
    gsmDataCoding: hex(profile.gsmDataCoding),
    gsmFlashDataCoding: hex(profile.gsmFlashDataCoding),
    ucsDataCoding: hex(profile.ucsDataCoding),
    ucsFlashDataCoding: hex(profile.ucsFlashDataCoding),
    inboundCodings: tableText(profile.inboundCodings),
    registeredDelivery: hex(profile.registeredDelivery),
    extraTlvs: profile.extraTlvs.map(({ tag, value }) => `${hex(tag)}=${value}`).join(','),
    passTlvs: profile.passTlvs === 'any' ? 'any' : profile.passTlvs.map(hex).join(','),
    statusClasses: tableText(profile.statusClasses),
    answerTimeoutMs: String(profile.answerTimeoutMs),
    enquireLinkMs: String(profile.enquireLinkMs),
    backOffMinMs: String(profile.backOffMinMs),
    backOffMaxMs: String(profile.backOffMaxMs),
  };
}

function typeText({ ton, npi }: AddressType): string {
  return `${ton}/${npi}`;
}

function tableText(entries: { readonly [code: string]: string }): string {
  return Object.entries(entries)
    .map(([code, word]) => `${hex(Number(code))}=${word}`)
    .join(',');
}

function hex(number: number): string {
  return `0x${number.toString(16).padStart(2, '0')}`;
}

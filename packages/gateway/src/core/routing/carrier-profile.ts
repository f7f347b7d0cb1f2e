import type { PassTlvs } from './passed-tlvs.ts';

/*
 * How one carrier speaks SMPP: what the standard leaves open and carriers do differently (smpp-in-the-wild), as data. A
 * profile is the preset `standard` with what differs.
 */

/** One session that sends and receives, or a transmitter and a receiver apart. */
export const bindModes = ['transceiver', 'separate'] as const;

export const smppVersions = ['3.3', '3.4', '5.0'] as const;

/** How an international number is written as an address: `41791112233`, `+41791112233` or `0041791112233`. */
export const numberForms = ['bare', 'plus', 'zeros'] as const;

/** How a text in the GSM alphabet is written: septets one an octet or packed, or in the alphabet the carrier takes instead. */
export const gsmCodings = ['gsm7', 'gsm7-packed', 'latin1', 'ascii'] as const;

export const ucsCodings = ['ucs2', 'ucs2-le'] as const;

/** How the octets of a message from a phone are read. */
export const inboundCodings = ['gsm7', 'gsm7-packed', 'latin1', 'ascii', 'ucs2', 'ucs2-le', 'binary'] as const;
export type InboundCoding = (typeof inboundCodings)[number];

/** How the parts of a long message are told: by user data headers, by sar_ TLVs, or not at all, as all go in message_payload. */
export const longMessageMethods = ['udh', 'sar', 'payload'] as const;

/** How the end of the validity is told: not at all, or as a relative or an absolute time. */
export const validityForms = ['none', 'relative', 'absolute'] as const;

/**
 * Whether a text that looks like a receipt, with nothing else to mark it as one, is read as a receipt. `auto`: as long as the
 * carrier has marked no receipt by esm_class or TLV.
 */
export const textReceiptModes = ['auto', 'on', 'off'] as const;
export type TextReceipts = (typeof textReceiptModes)[number];

/** What a command_status of submit_sm_resp means where the carrier differs from the standard. */
export const statusClasses = ['temporary', 'permanent', 'throttled'] as const;
export type StatusClass = (typeof statusClasses)[number];

/** `unverified` takes any certificate, for a carrier that has no better one. */
export const tlsModes = ['off', 'on', 'unverified'] as const;

/** Type of number and numbering plan (SMPP 3.4, sections 5.2.5 and 5.2.6). */
export interface AddressType {
  readonly ton: number;
  readonly npi: number;
}

export interface CarrierProfile {
  readonly bind: (typeof bindModes)[number];
  readonly version: (typeof smppVersions)[number];
  /** Of the bind; some carriers want one. */
  readonly addressRange: string;
  /** Where and as whom the receiver binds, if it is apart; null is as the transmitter does. */
  readonly receiverHost: string | null;
  readonly receiverPort: number | null;
  readonly receiverSystemId: string | null;

  readonly senderInternational: AddressType;
  readonly senderShortCode: AddressType;
  readonly senderAlphanumeric: AddressType;
  readonly receiverNumber: AddressType;
  readonly numberForm: (typeof numberForms)[number];
  /** Of phones and of numbers of ours that it names without one; null is that of the other of the two. */
  readonly countryCode: string | null;

  readonly gsmCoding: (typeof gsmCodings)[number];
  readonly gsmDataCoding: number;
  readonly gsmFlashDataCoding: number;
  readonly ucsCoding: (typeof ucsCodings)[number];
  readonly ucsDataCoding: number;
  readonly ucsFlashDataCoding: number;
  /** By data_coding, where the carrier means something else than the standard. */
  readonly inboundCodings: { readonly [dataCoding: string]: InboundCoding };
  readonly longMessages: (typeof longMessageMethods)[number];

  readonly validityForm: (typeof validityForms)[number];
  readonly registeredDelivery: number;
  readonly textReceipts: TextReceipts;
  /** Sent with each submit_sm: the tag, and the value in hexadecimal. */
  readonly extraTlvs: readonly { readonly tag: number; readonly value: string }[];
  /** A vendor's optional parameters of clients that it takes, by their tags. */
  readonly passTlvs: PassTlvs;
  /** By command_status, where the carrier means something else than the standard. */
  readonly statusClasses: { readonly [commandStatus: string]: StatusClass };

  readonly tls: (typeof tlsModes)[number];
  /** The name that the certificate has to have; null is the host. */
  readonly tlsServerName: string | null;
  /** PEM: whose certificates are trusted, in place of the system's; and ours, where the carrier wants one. */
  readonly tlsCa: string | null;
  readonly tlsCertificate: string | null;

  /** How long an answer is waited for; without one the part is in doubt. */
  readonly answerTimeoutMs: number;
  /** A link that is silent for so long is asked whether it lives. */
  readonly enquireLinkMs: number;
  /** The wait before a link connects again: it begins with the one and grows to the other. */
  readonly backOffMinMs: number;
  readonly backOffMaxMs: number;
}

/** What most carriers take, and SMPP 3.4 says. */
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

/** Profiles by name, to begin with: each is what it differs in from `standard`. */
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

/** The profile of a preset with what was set over it. */
export function profileOf(preset: string, changes: Partial<CarrierProfile> = {}): CarrierProfile {
  return { ...standardProfile, ...presets[preset]?.profile, ...changes };
}

/** A profile as people write it: `1/1` for a type of number, `0=latin1` for an entry of a table; null for nothing. */
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

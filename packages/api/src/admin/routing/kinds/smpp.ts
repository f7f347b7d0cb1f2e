import { ok, refused, type Result } from '../../../values/result.ts';
import type { Values } from '../../../fields/field.ts';
import { defaultsOf, givenOf, type CarrierSettingsKind, type SettingFault } from './kind.ts';
import { connectionFields, profileFields } from './smpp-fields.ts';

/* What the settings of a carrier over SMPP mean together: presets, secrets, checks, and what a change needs. */

/** A message_id has up to 65 octets with its final NUL (SMPP 3.4, 5.2.23); some carriers leave the NUL out. */
const messageIdMax = 65;

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

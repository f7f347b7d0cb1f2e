/* The kinds of carriers, and the settings that carriers of every kind have. */

import { inDoubtPolicies } from '../../values/routing.ts';
import { group, optional } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { oneOf, wholeNumber } from '../../fields/fields.ts';
import { perSecond } from './carrier-values.ts';
import type { CarrierSettingsKind } from './kinds/kind.ts';
import { smpp, smppSteps, type SmppGiven, type SmppOpen, type SmppSecrets, type SmppShown } from './kinds/smpp.ts';

/** Most requests in flight on a link. Carriers allow tens; each request needs memory until it is answered. */
const windowMax = 1_000;

export const sharedFields = {
  ...group('Pace', {
    window: optional(
      wholeNumber({
        min: 1,
        max: windowMax,
        summary: 'most unanswered requests on each link',
        help: 'Ask the carrier: too few slow you down, too many make it throttle.',
      }),
      10,
    ),
    throughput: optional(
      perSecond({
        label: 'Pace limit',
        summary: 'most messages a second on each link, also less than one, such as 0.2',
        special: { 0: 'no limit' },
      }),
      0,
    ),
    links: optional(wholeNumber({ min: 1, max: 64, summary: 'number of links that the gateway keeps bound' }), 1),
  }),
  ...group('Receipts and ids', {
    inDoubt: optional(
      oneOf(inDoubtPolicies, {
        label: 'Part without an answer',
        summary: 'action for a part in doubt',
        words: { resend: 'Send it again', hold: 'Ask an operator', fail: 'Give it up' },
        warning: ({ inDoubt }) => (inDoubt === 'resend' ? 'A receiver may get a message twice.' : undefined),
      }),
      'resend',
    ),
    // `same`: both ids are compared as text, ignoring case and leading zeros.
    idRule: optional(
      oneOf(['auto', 'same', 'hex-answer', 'hex-receipt'], {
        label: 'Comparing ids',
        summary: 'how message ids in answers and receipts are compared',
        words: {
          auto: 'By what receipts show',
          same: 'As texts',
          'hex-answer': 'Hexadecimal in answers, decimal in receipts',
          'hex-receipt': 'Decimal in answers, hexadecimal in receipts',
        },
      }),
      'auto',
    ),
  }),
};
export type SharedSettings = Values<typeof sharedFields>;

/** The types of each kind: its settings, which of them are secret, what a request gives, and an answer shows. */
interface Kinds {
  readonly smpp: {
    readonly open: SmppOpen;
    readonly secrets: SmppSecrets;
    readonly given: SmppGiven;
    readonly shown: SmppShown;
  };
}
export type CarrierKindName = keyof Kinds;
/** The settings of a carrier of one kind or of any. `Open` has no secrets. */
export type KindSettings<K extends CarrierKindName = CarrierKindName> = {
  [Each in K]: Kinds[Each]['open'] & Kinds[Each]['secrets'];
}[K];
export type OpenSettings<K extends CarrierKindName = CarrierKindName> = Kinds[K]['open'];
export type GivenSettings<K extends CarrierKindName = CarrierKindName> = Kinds[K]['given'];

type KindOf<K extends CarrierKindName> = CarrierSettingsKind<
  Kinds[K]['open'],
  Kinds[K]['secrets'],
  Kinds[K]['given'],
  Kinds[K]['shown']
>;

const kinds: { readonly [K in CarrierKindName]: KindOf<K> } = { smpp };

/** The steps of `carrier test`, in the words of all kinds. */
export const testSteps = smppSteps;
export type TestStepName = (typeof testSteps)[number];

/** The longest ids of all kinds, for an id whose carrier is not known. */
export const idMaxes: readonly number[] = [...new Set(Object.values(kinds).map(({ idMax }) => idMax))];

/** The kind of a new carrier. While there is one kind, requests do not name it. */
export const usualKind: CarrierKindName = 'smpp';

/** The declared kind of a carrier's settings. */
export function kindOf<K extends CarrierKindName>({ kind }: { readonly kind: K }): KindOf<K> {
  return kinds[kind];
}

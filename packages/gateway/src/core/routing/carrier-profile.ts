import { presets, profileFields } from '@morsel/api/admin/routing/carrier-settings.ts';
import type { Values } from '@morsel/api/admin/field.ts';

/*
 * How one carrier speaks SMPP: what the standard leaves open and carriers do differently, as data. A
 * profile is the preset `standard` with what differs. The settings are declared in the operator's contract.
 */

export type CarrierProfile = Values<typeof profileFields>;
export type InboundCoding = CarrierProfile['inboundCodings'][string];
export type TextReceipts = CarrierProfile['textReceipts'];
export type StatusClass = CarrierProfile['statusClasses'][string];

/** What most carriers take, and SMPP 3.4 says: the defaults of the declaration. */
// Each field of the table has a default.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const standardProfile = Object.fromEntries(
  Object.entries(profileFields).map(([name, { otherwise }]) => [name, otherwise?.value]),
) as unknown as CarrierProfile;

/** The profile of a preset with what was set over it. */
export function profileOf(preset: string, changes: Partial<CarrierProfile> = {}): CarrierProfile {
  return { ...standardProfile, ...presets[preset]?.profile, ...changes };
}

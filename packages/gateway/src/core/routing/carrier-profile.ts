import { presets, profileFields } from '@morsel/api/admin/routing/kinds/smpp.ts';
import type { Values } from '@morsel/api/admin/field.ts';

/*
 * Profiles: settings for how one carrier uses SMPP, where the standard leaves a choice or carriers deviate from it. A
 * profile is the preset `standard` with some settings changed. The operator's API declares all settings.
 */

export type CarrierProfile = Values<typeof profileFields>;
export type InboundCoding = CarrierProfile['inboundCodings'][string];
export type TextReceipts = CarrierProfile['textReceipts'];
export type StatusClass = CarrierProfile['statusClasses'][string];

/** The default of each setting, which follows SMPP 3.4 and suits most carriers. */
// Every setting has a default, so this object has all settings.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const standardProfile = Object.fromEntries(
  Object.entries(profileFields).map(([name, { otherwise }]) => [name, otherwise?.value]),
) as unknown as CarrierProfile;

export function profileOf(preset: string, changes: Partial<CarrierProfile> = {}): CarrierProfile {
  return { ...standardProfile, ...presets[preset]?.profile, ...changes };
}

import { tlvName, tlvTable } from '@morsel/smpp';
import type { carrier as declared } from '@morsel/api/admin/routing/carrier.ts';
import { profileFields, settingFields } from '@morsel/api/admin/routing/carrier-settings.ts';
import type { FieldTable, Values } from '@morsel/api/admin/field.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { parseSender } from '../../../../core/number/address.ts';
import { isCountryCode } from '../../../../core/number/number-plan.ts';
import { checkCarrier, type CarrierSettings } from '../../../../core/routing/carrier.ts';
import { profileOf, type CarrierProfile } from '../../../../core/routing/carrier-profile.ts';
import { tagText } from '../../../../core/routing/extras.ts';
import type { CarrierChange } from '../../../../state/decide/routing/carrier.ts';
import { checkTls } from './carrier-tls.ts';
import { invalid } from '../../../../state/decide/decided.ts';

/* Reads the settings of a carrier in a request, and checks rules over several fields, which a declaration cannot. */

type Operations = typeof declared.operations;

/** Reads and checks the settings of a new carrier. */
export function newCarrier(input: InputOf<Operations['add']>): Result<CarrierSettings, Rejection> {
  const known = readProfile(profileOf(input.preset, givenOf(profileFields, input)));
  if (!known.ok) return known;
  // By the declaration, each setting has a value.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const settings = givenOf(settingFields, input) as Values<typeof settingFields>;
  const checked = checkCarrier({ ...settings, profile: known.value });
  return checked.ok ? checkTls(checked.value) : checked;
}

/** Reads and checks the changes of a carrier. `before` has the settings before the change. */
export function carrierChange(
  input: InputOf<Operations['set']>,
  before: CarrierSettings | undefined,
): Result<CarrierChange, Rejection> {
  const { preset } = input;
  const known = readProfile(givenOf(profileFields, input));
  if (!known.ok) return known;
  const profile = known.value;
  const settings = givenOf(settingFields, input);
  const isTouched = [settings.tlsKey, profile.tlsCa, profile.tlsCertificate].some((each) => each !== undefined);
  if (before && isTouched) {
    const base = preset === undefined ? before.profile : profileOf(preset);
    const checked = checkTls({ tlsKey: before.tlsKey, ...settings, profile: { ...base, ...profile } });
    if (!checked.ok) return checked;
  }
  return ok({ settings, profile });
}

/** The values of a request for the fields of this table. */
function givenOf<T extends FieldTable>(table: T, values: object): Partial<Values<T>> {
  const given = Object.entries(values).filter(([name, value]) => value !== undefined && Object.hasOwn(table, name));
  // Each value was read by the field of its name.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(given) as Partial<Values<T>>;
}

/**
 * TLVs that the gateway writes itself. The operator must not add these TLVs, because a PDU may have each of them only
 * once.
 */
const ours: readonly number[] = [
  tlvTable.sar_msg_ref_num,
  tlvTable.sar_total_segments,
  tlvTable.sar_segment_seqnum,
  tlvTable.message_payload,
  tlvTable.source_port,
  tlvTable.destination_port,
].map(({ tag }) => tag);

/** Checks rules of a profile that the declaration cannot check, and brings its sender into the stored form. */
function readProfile<P extends Partial<CarrierProfile>>(profile: P): Result<P, Rejection> {
  const { countryCode, sourceAddressDefault, extraTlvs = [] } = profile;
  if (typeof countryCode === 'string' && !isCountryCode(countryCode)) {
    return invalid('countryCode', 'must be the code of a country, such as 41, or none');
  }
  const own = extraTlvs.find(({ tag }) => ours.includes(tag));
  if (own) {
    const tlv = `${tagText(own.tag)} (${tlvName(own.tag)})`;
    return invalid(
      'extraTlvs',
      `must not have ${tlv}: the gateway itself writes this TLV, if the setting long-messages needs it`,
    );
  }
  if (typeof sourceAddressDefault !== 'string') return ok(profile);
  const sender = parseSender(sourceAddressDefault);
  return sender.ok
    ? ok({ ...profile, sourceAddressDefault: sender.value })
    : invalid(
        'sourceAddressDefault',
        'must be a number in international form, a short code of 3 to 8 digits, a name of up to 11 characters, or none',
      );
}

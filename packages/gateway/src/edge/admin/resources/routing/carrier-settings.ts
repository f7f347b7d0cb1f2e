import { tlvName, tlvTable } from '@morsel/smpp';
import type { carrier as declared } from '@morsel/api/admin/routing/carrier.ts';
import { profileFields, settingFields } from '@morsel/api/admin/routing/carrier-settings.ts';
import type { FieldTable, Values } from '@morsel/api/admin/field.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import type { Snapshot } from '../../../../core/snapshot.ts';
import { parseSender } from '../../../../core/number/address.ts';
import { isCountryCode } from '../../../../core/number/number-plan.ts';
import { checkCarrier, type CarrierSettings, type CarrierStatus } from '../../../../core/routing/carrier.ts';
import { profileOf, type CarrierProfile } from '../../../../core/routing/carrier-profile.ts';
import { tagText } from '../../../../core/routing/passed-tlvs.ts';
import { change, type ChangeNeeds } from '../../../../flow/change.ts';
import type { CommandOf } from '../../../../state/commands.ts';
import { checkTls } from './carrier-tls.ts';
import { invalid } from '../../../../state/decide/decided.ts';

/* The operator's changes of carriers: rules over several fields, and the commands. */

type Operations = typeof declared.operations;

/** Makes a carrier; its links start to connect at once. */
export async function addCarrier(
  needs: ChangeNeeds,
  input: InputOf<Operations['add']>,
): Promise<Result<unknown, Rejection>> {
  const made = newCarrier(input);
  if (!made.ok) return made;
  return change<'add-carrier'>(needs, { kind: 'add-carrier', at: needs.clock.now(), ...made.value });
}

/**
 * Changes a carrier. The links of the carrier use the new settings at once. A link that must bind again first waits for
 * the answers in
 * its window.
 */
export async function setCarrier(
  needs: ChangeNeeds & { readonly snapshot: () => Pick<Snapshot, 'carriers'> },
  input: InputOf<Operations['set']>,
): Promise<Result<unknown, Rejection>> {
  const { carrier } = input;
  const before = [...needs.snapshot().carriers.values()].find((each) => each.name === carrier);
  const wanted = carrierChange(input, before);
  if (!wanted.ok) return wanted;
  return change<'set-carrier'>(needs, { kind: 'set-carrier', at: needs.clock.now(), carrier, ...wanted.value });
}

export async function setCarrierStatus(
  needs: ChangeNeeds,
  { carrier }: { readonly carrier: string },
  status: CarrierStatus,
): Promise<Result<{ carrier: string }, Rejection>> {
  const at = needs.clock.now();
  const set = await change<'set-carrier-status'>(needs, { kind: 'set-carrier-status', at, carrier, status });
  return set.ok ? ok({ carrier }) : set;
}

/** Reads and checks the settings of a new carrier. */
export function newCarrier(
  input: InputOf<Operations['add']>,
): Result<{ name: string; costList: string | null } & CarrierSettings, Rejection> {
  const { name, costList, preset } = input;
  const known = readProfile(profileOf(preset, givenOf(profileFields, input)));
  if (!known.ok) return known;
  // By the declaration, each setting has a value.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const settings = givenOf(settingFields, input) as Values<typeof settingFields>;
  const checked = checkCarrier({ name, costList, ...settings, profile: known.value });
  return checked.ok ? checkTls(checked.value) : checked;
}

/** Reads and checks the changes of a carrier. `before` has the present settings. */
export function carrierChange(
  input: InputOf<Operations['set']>,
  before: CarrierSettings | undefined,
): Result<Omit<CommandOf<'set-carrier'>, 'kind' | 'at' | 'carrier'>, Rejection> {
  const { preset, costList } = input;
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
  return ok({ preset, costList, settings, profile });
}

/** The values of a request that belong to fields of this table. */
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

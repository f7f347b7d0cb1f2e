import { tlvName, tlvTable } from '@morsel/smpp';
import { givenOf } from '@morsel/api/admin/routing/kinds/kind.ts';
import { smpp, type SmppGiven, type SmppProfile, type SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { connectionFields, profileFields } from '@morsel/api/admin/routing/kinds/smpp-fields.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { parseSender } from '../../../core/number/address.ts';
import { isCountryCode } from '../../../core/number/number-plan.ts';
import { tagText } from '../../../core/routing/extras.ts';
import { checkTls } from './tls-files.ts';

/* Reads the settings of a carrier in a request, and checks what their declaration cannot check. */

/** `before` has the settings of the carrier that the request changes. */
export function readSmppSettings(
  input: { readonly preset?: string | undefined },
  before?: SmppSettings,
): Result<SmppGiven, Rejection> {
  const { preset } = input;
  const profile = readProfile(givenOf(profileFields, input));
  if (!profile.ok) return profile;
  const connection = givenOf(connectionFields, input);
  const given: SmppGiven = { kind: 'smpp', ...(preset !== undefined && { preset }), ...connection, ...profile.value };
  const after = smpp.change(given, before);
  // A change is checked when it is decided, with the stored settings.
  const checked = before ? ok(null) : smpp.check(after);
  if (!checked.ok) return refused({ code: 'invalid_parameter', ...checked.error });
  const isTouched = [given.tlsKey, given.tlsCa, given.tlsCertificate].some((each) => each !== undefined);
  const tls = isTouched ? checkTls(after) : ok(null);
  return tls.ok ? ok(given) : tls;
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
function readProfile<P extends Partial<SmppProfile>>(profile: P): Result<P, Rejection> {
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

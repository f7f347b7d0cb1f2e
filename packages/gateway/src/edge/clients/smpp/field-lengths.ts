import { commands, type PduOf } from '@morsel/smpp';
import type { Rejection } from '../../../core/base/rejection.ts';

/*
 * Refuses too long fields, which the codec accepts, so that no field is cut. The parser of times checks their lengths.
 */

const checked = ['service_type', 'message_id', 'source_addr', 'destination_addr'] as const;

export function findTooLong(pdu: PduOf<'submit_sm' | 'data_sm' | 'query_sm' | 'cancel_sm'>): Rejection | undefined {
  const given: { readonly [F in (typeof checked)[number]]?: string } = pdu;
  const declared: { readonly [F in (typeof checked)[number]]?: { readonly max: number } } =
    commands[pdu.command].fields;
  for (const field of checked) {
    // The most octets with the final NUL.
    const { max } = declared[field] ?? { max: Infinity };
    if ((given[field] ?? '').length < max) continue;
    return { code: 'invalid_parameter', field, detail: `${field} must have at most ${max - 1} characters` };
  }
  return undefined;
}

import { commands, type PduOf } from '@morsel/smpp';
import type { Rejection } from '../../../core/base/rejection.ts';

/*
 * Refuses too long fields, which the codec accepts, so that no field is cut. The parser of times checks their lengths.
 */

export function findTooLong(pdu: PduOf<'submit_sm' | 'data_sm' | 'query_sm' | 'cancel_sm'>): Rejection | undefined {
  if ('service_type' in pdu && pdu.service_type.length >= commands[pdu.command].fields.service_type.max) {
    return tooLong('service_type', commands[pdu.command].fields.service_type.max);
  }
  if ('message_id' in pdu && pdu.message_id.length >= commands[pdu.command].fields.message_id.max) {
    return tooLong('message_id', commands[pdu.command].fields.message_id.max);
  }
  if (pdu.source_addr.length >= commands[pdu.command].fields.source_addr.max) {
    return tooLong('source_addr', commands[pdu.command].fields.source_addr.max);
  }
  if ('destination_addr' in pdu && pdu.destination_addr.length >= commands[pdu.command].fields.destination_addr.max) {
    return tooLong('destination_addr', commands[pdu.command].fields.destination_addr.max);
  }
  return undefined;
}

/** `max` counts the final NUL, too. */
function tooLong(field: string, max: number): Rejection {
  return { code: 'invalid_parameter', field, detail: `${field} must have at most ${max - 1} characters` };
}

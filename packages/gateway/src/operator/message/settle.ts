import type { MessageId } from '../../core/base/message-id.ts';
import { doubtSettlements } from '@morsel/api/values/message.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { ControlNeeds } from '../routing/control.ts';
import { messageId, oneOf, optional, readFields, wholeNumber } from '../fields.ts';
import type { Fields } from '../fields.ts';

/** Parts of a message (3GPP TS 23.040, 9.2.3.24.1). */
const partsMax = 255;

const settleFields = {
  id: messageId,
  part: optional(wholeNumber(1, partsMax), null),
  as: oneOf(doubtSettlements),
};

/** The operator says what is to become of the parts of a message that are in doubt. */
export async function settleDoubt(
  needs: ControlNeeds,
  fields: Fields,
): Promise<Result<{ id: MessageId; parts: number }, Rejection>> {
  const read = readFields(settleFields, fields);
  if (!read.ok) return read;
  const { id, part, as } = read.value;
  const command = { kind: 'settle-doubt', at: needs.clock.now(), message: id, part, as } as const;
  const settled = await needs.journal.append<'settle-doubt'>(command);
  if (!settled.ok) return settled;
  if (settled.value.isWaiting) needs.control.allWait();
  return ok({ id, parts: settled.value.parts });
}

/* The handlers of opt-outs. They convert numbers, because the threads of the store do not load the number plan. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { parseReceiver, parseSender } from '../../../../core/number/address.ts';
import type { OptOutWanted } from '../../../../state/decide/number/opt-out-list.ts';
import type { Handlers } from '../../bind.ts';
import { decided, viewed } from '../../direct.ts';

export const optOutHandlers: Handlers<'optOut'> = {
  list: viewed('optOut.list', withReceiver),
  history: viewed('optOut.history', withReceiver),
  add: decided('optOut.add', (_needs, entry) => readEntry(entry)),
  import: decided('optOut.import', (_needs, input) => {
    const entries: OptOutWanted[] = [];
    for (const each of input.list) {
      const entry = readEntry(each);
      if (!entry.ok) return entry;
      entries.push(entry.value);
    }
    return ok(entries);
  }),
  remove: decided('optOut.remove', (_needs, entry) => readEntry(entry)),
};

/** Converts the receiver to its stored form. */
function withReceiver<Input extends { readonly receiver?: string | undefined }>(
  input: Input,
): Result<Input, Rejection> {
  if (input.receiver === undefined) return ok(input);
  const read = parseReceiver(input.receiver);
  return read.ok ? ok({ ...input, receiver: read.value }) : read;
}

function readEntry({
  receiver: given,
  sender,
  reason,
}: Omit<OptOutWanted, 'sender'> & { readonly sender?: string | undefined }): Result<OptOutWanted, Rejection> {
  const receiver = parseReceiver(given);
  if (!receiver.ok) return receiver;
  const read = sender === undefined ? ok(sender) : parseSender(sender);
  if (read.ok) return ok({ receiver: receiver.value, sender: read.value, reason });
  return 'detail' in read.error ? invalid('sender', read.error.detail) : read;
}

import { ok, refused } from '@morsel/api/values/result.ts';
import { name, oneOf, optional, readFields } from '../../operator/fields.ts';
import type { Field, Fields } from '../../operator/fields.ts';
import { checkStages } from '@morsel/api/values/money.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/** An id of an account, an entry or a message: those have sixteen digits. */
const cursor: Field<number> = {
  parse: (text) =>
    /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
      ? ok(Number(text))
      : refused('it has to be what the last answer said'),
};

const checkFields = {
  stage: optional(oneOf(checkStages), 'guards' as const),
  after: optional(cursor, 0),
  account: optional(name, null),
};

/** Looks at a chunk of the ledger, and says where to go on: `next` has the fields of the next question. */
export async function askLedgerCheck(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields(checkFields, fields);
  if (!read.ok) return read;
  const found = await needs.reader.ask('ledgerCheck', read.value);
  if (!found.ok) return found;
  if (!found.value)
    return refused({ code: 'does_not_exist', detail: `there is no account named ${read.value.account}` });
  const { faults, next, ...chunk } = found.value;
  return ok({
    stage: read.value.stage,
    ...chunk,
    faults: faults.map((fault) => ({ ...fault })),
    next: next && { ...next },
  });
}

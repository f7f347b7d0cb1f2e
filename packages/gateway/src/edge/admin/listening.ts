import { fieldsOf } from '../../core/notification/fields.ts';
import { asJson } from '../../core/notification/template.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Listening } from '../../flow/notification/listen.ts';
import { name, optional, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import { knownAccount } from './known-account.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

export interface ListenNeeds extends QuestionNeeds {
  readonly snapshot: () => Snapshot;
  readonly listening: Pick<Listening, 'listen'>;
}

const listenFields = {
  account: name,
  after: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER), undefined),
};

/**
 * What there was to tell an account after an event, or as soon as there is something: the answer to a question without
 * `after` says where to begin. Each `body` is what a webhook would get, as JSON in a string, octet for octet.
 */
export async function askListening(needs: ListenNeeds, fields: Fields): Answer {
  const read = readFields(listenFields, fields);
  if (!read.ok) return read;
  const owner = await knownAccount(needs, read.value.account);
  if (!owner.ok) return owner;
  const account = [...needs.snapshot().accounts.values()].find((each) => each.name === read.value.account);
  if (!account) return owner;
  const heard = await needs.listening.listen(account.id, read.value.after);
  if (!heard.ok) return heard;
  const { events, last, missed } = heard.value;
  return ok({
    events: events.map(({ number, content }) => ({ number, body: asJson(fieldsOf(content)) })),
    last,
    missed,
  });
}

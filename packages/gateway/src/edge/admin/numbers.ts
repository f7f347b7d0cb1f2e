import { parseKeyword } from '../../core/number/keyword.ts';
import { numberKinds } from '@morsel/api/values/number.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { readNumber } from '../../operator/numbers.ts';
import { name, oneOf, optional, readFields, sentence, wholeNumber } from '../../operator/fields.ts';
import type { Field, Fields } from '../../operator/fields.ts';
import type { KeywordPlace, KeywordView, NumberView } from '../../store/views/number/numbers.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time } from './present.ts';
import { askAccount, shown } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of the numbers that phones write to, and of keywords on them. */

/** Keywords of one page. */
const limitMax = 1_000;
const wordMax = 64;

/** The numbers of an account, or of all. */
export async function askNumbers(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields({ account: optional(name, null) }, fields);
  if (!read.ok) return read;
  const { account } = read.value;
  const owner = account === null ? ok(null) : await askAccount(needs, account);
  if (!owner.ok) return owner;
  return shown(await needs.reader.ask('numbers', account), (numbers) => numbers.map(showNumber));
}

/** The place where the page before ended, as it said it. */
const place: Field<KeywordPlace> = {
  parse: (text) => {
    const [digits = '', kindText = '', given = ''] = text.split('/');
    const kind = numberKinds.find((each) => each === kindText);
    const word = parseKeyword(given);
    return kind && word.ok && /^\d{1,20}$/.test(digits)
      ? ok({ digits, kind, word: word.value })
      : refused('it has to be the `next` of the page before');
  },
};

const keywordsFields = {
  number: optional(sentence(wordMax), null),
  kind: optional(oneOf(numberKinds), 'number' as const),
  account: optional(name, null),
  after: optional(place, null),
  limit: optional(wholeNumber(1, limitMax), limitMax),
};

/** The keywords of a number, an account, or all, and where to go on as `after` if there may be more. */
export async function askKeywords(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields(keywordsFields, fields);
  if (!read.ok) return read;
  const { number, kind, account, after, limit } = read.value;
  const owner = account === null ? ok(null) : await askAccount(needs, account);
  if (!owner.ok) return owner;
  const owned = number === null ? ok(null) : readNumber({ number, kind });
  if (!owned.ok) return owned;
  const found = await needs.reader.ask('keywords', { number: owned.value, account, after, limit });
  if (!found.ok) return found;
  if (!found.value) {
    const shownNumber = owned.value?.number ?? '';
    return refused({
      code: 'does_not_exist',
      detail: `nobody has the ${kind} ${shownNumber}: number list says who has what`,
    });
  }
  const { keywords, next } = found.value;
  return ok({
    keywords: keywords.map(showKeyword),
    next: next === null ? null : `${next.digits}/${next.kind}/${next.word}`,
  });
}

function showNumber({ number, kind, account, keywords, createdAt }: NumberView): Json {
  return { number, kind, account, keywords, createdAt: time(createdAt) };
}

function showKeyword({ number, kind, word, account, createdAt }: KeywordView): Json {
  return { number, kind, word, account, createdAt: time(createdAt) };
}

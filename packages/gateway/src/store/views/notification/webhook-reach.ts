/* Finds out whether inbound messages can reach a webhook. */

import { eachOf } from '../page.ts';
import { numberText, ownersOf } from '../../../core/number/owners.ts';
import type { WebhookMatch } from '../../../core/notification/webhook.ts';
import { nullable, text } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import { Where } from '../where.ts';

interface WebhookReachInput extends Pick<WebhookMatch, 'number' | 'keyword'> {
  readonly account: string;
}

/**
 * `nobody`: no account has the webhook's number. `others`: the number belongs to another account, and the webhook's
 * account has no matching keyword on it.
 */
type WebhookReach = 'reached' | 'nobody' | 'others';

export async function readWebhookReach(queries: Queries, input: WebhookReachInput): Promise<WebhookReach> {
  const { account, number } = input;
  if (number === null) return (await ownsAny(queries, input)) ? 'reached' : 'others';
  const rows = await numbersOf(queries, { ...input, number });
  if (rows.some(({ owner, keyword }) => owner === account || keyword !== null)) return 'reached';
  return rows.length === 0 ? 'nobody' : 'others';
}

export function unreachedWarning(
  { id, number, keyword, account }: WebhookReachInput & { readonly id: number },
  reach: Exclude<WebhookReach, 'reached'>,
): string {
  const nothing = `webhook ${id} gets no inbound messages yet: `;
  const word = keyword === null ? 'no keyword' : `no keyword "${keyword}"`;
  if (number === null) {
    return `${nothing}${account} has no number of its own, and ${word} on another number: use number add or keyword add`;
  }
  const shown = number.kind === 'prefix' ? `numbers that begin with ${numberText(number)}` : numberText(number);
  if (reach === 'nobody') return `${nothing}no account has ${shown}: use number add`;
  return `${nothing}${account} does not have ${shown}, and ${word} there: see number list, or use keyword add`;
}

const idOfName = '(select id from account where name = ?)';

/** Whether the account has a number, or a matching keyword on a number. */
async function ownsAny(queries: Queries, { account, keyword }: WebhookReachInput): Promise<boolean> {
  const numbers = new Where(`account = ${idOfName}`, account);
  const keywords = new Where(`account = ${idOfName}`, account).given('word = ?', keyword);
  return (
    (await queries.value(text, `select digits from number ${numbers.sql} limit 1`, ...numbers.values)) !== undefined ||
    (await queries.value(text, `select digits from keyword ${keywords.sql} limit 1`, ...keywords.values)) !== undefined
  );
}

/** A number, with the name of its account and a matching keyword of the webhook's account. */
const numberShape = shape({ owner: nullable(text), keyword: nullable(text) });

async function numbersOf(
  queries: Queries,
  { account, number, keyword }: WebhookReachInput & { readonly number: NonNullable<WebhookReachInput['number']> },
): Promise<ShapeOf<typeof numberShape>[]> {
  const matching = new Where('keyword.digits = number.digits and keyword.kind = number.kind');
  matching.and(`keyword.account = ${idOfName}`, account).given('keyword.word = ?', keyword);
  const ask = (where: Where) =>
    queries.rows(
      numberShape,
      `select owner.name as owner, (select min(keyword.word) from keyword ${matching.sql}) as keyword
        from number left join account as owner on owner.id = number.account ${where.sql}`,
      ...matching.values,
      ...where.values,
    );
  const owners = number.kind === 'number' ? ownersOf(`+${number.digits}`) : beginningsOf(number.digits);
  // The number with the longest match counts. For a prefix, longer numbers that start with it count, too.
  const owning = await eachOf(owners, ({ kind, digits }) =>
    ask(new Where('number.kind = ? and number.digits = ?', kind, digits)),
  );
  const covering = owning.flat().slice(0, 1);
  if (number.kind === 'number') return covering;
  const longer = new Where('number.digits > ? and number.digits < ?', number.digits, `${number.digits}:`);
  return [...covering, ...(await ask(longer.and("number.number like '+%'")))];
}

function beginningsOf(digits: string): ReturnType<typeof ownersOf> {
  return Array.from({ length: digits.length }, (_, at) => ({
    kind: 'prefix',
    digits: digits.slice(0, digits.length - at),
  }));
}

import { ownersOf } from '../../../core/number/owners.ts';
import type { WebhookMatch } from '../../../core/notification/webhook.ts';
import { flag, nullable, text } from '../../tables/column.ts';
import { shape } from '../../tables/table.ts';
import type { ShapeOf } from '../../tables/table.ts';
import type { Queries } from '../queries.ts';

export interface WebhookReachInput extends Pick<WebhookMatch, 'number' | 'keyword'> {
  /** The name of the account. */
  readonly account: string;
}

/**
 * Whether inbound messages can reach a webhook with the current numbers and keywords. `nobody`: no account has the
 * webhook's number. `others`: the number belongs to another account, and the webhook's account has no matching keyword
 * on it.
 */
export type WebhookReach = 'reached' | 'nobody' | 'others';

export function readWebhookReach(queries: Queries, input: WebhookReachInput): WebhookReach {
  const rows = numbersOf(queries, input);
  if (rows.some(({ owner, hasKeyword }) => owner === input.account || hasKeyword)) return 'reached';
  return rows.length === 0 && input.number !== null ? 'nobody' : 'others';
}

const numberShape = shape({ owner: nullable(text), hasKeyword: flag });

/** Reads the numbers whose messages the webhook may get. */
function numbersOf(queries: Queries, { account, number, keyword }: WebhookReachInput): ShapeOf<typeof numberShape>[] {
  const ask = (where: string, ...values: (string | number)[]) =>
    queries.rows(
      numberShape,
      `select owner.name as owner,
          exists(select 1 from keyword where keyword.digits = number.digits and keyword.kind = number.kind
            and keyword.account = (select id from account where name = ?1) and (?2 is null or keyword.word = ?2)) as has_keyword
        from number left join account as owner on owner.id = number.account where ${where}`,
      account,
      keyword,
      ...values,
    );
  if (number === null) return ask('true');
  const owners = number.kind === 'number' ? ownersOf(`+${number.digits}`) : beginningsOf(number.digits);
  // The longest match has the number. For a prefix, longer numbers that start with it count, too.
  const covering = owners
    .flatMap(({ kind, digits }) => ask('number.kind = ?3 and number.digits = ?4', kind, digits))
    .slice(0, 1);
  if (number.kind === 'number') return covering;
  return [
    ...covering,
    ...ask("number.digits > ?3 and number.digits < ?4 and number.number like '+%'", number.digits, `${number.digits}:`),
  ];
}

function beginningsOf(digits: string): ReturnType<typeof ownersOf> {
  return Array.from({ length: digits.length }, (_, at) => ({
    kind: 'prefix',
    digits: digits.slice(0, digits.length - at),
  }));
}

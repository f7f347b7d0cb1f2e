import { ownersOf } from '../../../core/number/owners.ts';
import type { WebhookMatch } from '../../../core/notification/webhook.ts';
import { integer, text } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
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
  if (rows.some((row) => text(row, 'owner') === input.account || integer(row, 'has_keyword') === 1)) return 'reached';
  return rows.length === 0 && input.number !== null ? 'nobody' : 'others';
}

/** Reads the numbers whose messages the webhook may get. */
function numbersOf(queries: Queries, { account, number, keyword }: WebhookReachInput): Record[] {
  const ask = (where: string, ...values: (string | number)[]) =>
    queries.all(
      `select number.digits, number.kind, ifnull(owner.name, '') as owner,
          exists(select 1 from keyword where keyword.digits = number.digits and keyword.kind = number.kind
            and keyword.account = (select id from account where name = ?) and (? is null or keyword.word = ?)) as has_keyword
        from number left join account as owner on owner.id = number.account where ${where}`,
      account,
      keyword,
      keyword,
      ...values,
    );
  if (number === null) return ask('true');
  const owners = number.kind === 'number' ? ownersOf(`+${number.digits}`) : beginningsOf(number.digits);
  // The longest match has the number. For a prefix, longer numbers that start with it count, too.
  const covering = owners
    .flatMap(({ kind, digits }) => ask('number.kind = ? and number.digits = ?', kind, digits))
    .slice(0, 1);
  if (number.kind === 'number') return covering;
  return [
    ...covering,
    ...ask("number.digits > ? and number.digits < ? and number.number like '+%'", number.digits, `${number.digits}:`),
  ];
}

function beginningsOf(digits: string): ReturnType<typeof ownersOf> {
  return Array.from({ length: digits.length }, (_, at) => ({
    kind: 'prefix',
    digits: digits.slice(0, digits.length - at),
  }));
}

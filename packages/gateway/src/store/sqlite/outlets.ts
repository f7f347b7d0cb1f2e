import { noticeKinds } from '../../core/notice.ts';
import { numberKinds } from '../../core/owned-number.ts';
import type { WebhookMatch } from '../../core/webhook.ts';
import type { Outlets } from '../notice-rows.ts';
import type { Rows } from '../rows.ts';
import { integer, text, textOrNull } from './row-readers.ts';
import type { Record } from './row-readers.ts';
import type { Statements } from './statements.ts';

/**
 * Where the notices of each account go: in memory, since there is one writing connection, and read anew after each commit
 * that changed it. An account that is told nothing is not in it.
 */
export class OutletTable {
  readonly #statements: Statements;
  #outlets: ReadonlyMap<number, Outlets> = new Map();

  constructor(statements: Statements) {
    this.#statements = statements;
    this.#read();
  }

  begin(rows: Rows): void {
    rows.notices.outlets = this.#outlets;
  }

  committed({ notices }: Rows): void {
    if (notices.haveOutletsChanged) this.#read();
  }

  #read(): void {
    const found = this.#statements.all('select * from webhook where removed_at is null order by id');
    const webhooks = Map.groupBy(found, (row) => integer(row, 'account'));
    const withLogin = this.#statements.all('select distinct account from login where removed_at is null');
    const logins = new Set(withLogin.map((row) => integer(row, 'account')));
    this.#outlets = new Map(
      [...new Set([...webhooks.keys(), ...logins])].map((account) => [
        account,
        { webhooks: (webhooks.get(account) ?? []).map(webhookMatchFrom), hasLogin: logins.has(account) },
      ]),
    );
  }
}

/** What a webhook is told, of its row. */
function webhookMatchFrom(row: Record): WebhookMatch {
  const kinds = text(row, 'kinds').split(',');
  const kind = numberKinds.find((each) => each === row['number_kind']);
  return {
    id: integer(row, 'id'),
    kinds: noticeKinds.filter((each) => kinds.includes(each)),
    number: kind ? { kind, digits: text(row, 'digits') } : null,
    keyword: textOrNull(row, 'keyword'),
  };
}

import type { Destinations } from '../../tables/notification.ts';
import type { Rows } from '../../tables/rows.ts';
import { loginTable } from '../../tables/account.ts';
import { pick, shape } from '../../tables/table.ts';
import { webhookTable } from '../../tables/webhook.ts';
import type { Statements } from '../statements.ts';

const idShape = shape(pick(webhookTable, 'id'));
const matchShape = shape(pick(webhookTable, 'id', 'account', 'kinds', 'number', 'keyword'));
const ownerShape = shape(pick(loginTable, 'account'));

/**
 * The destinations of each account, in memory because there is one writing connection. They are read again after a
 * commit that changed them. An account without a destination is not in it.
 */
export class DestinationTable {
  readonly #statements: Statements;
  #destinations: ReadonlyMap<number, Destinations> = new Map();
  readonly #failing: Set<number>;
  #listened: ReadonlySet<number> = new Set();

  constructor(statements: Statements) {
    this.#statements = statements;
    const failing = statements.rows(idShape, 'select id from webhook where failing_since is not null');
    this.#failing = new Set(failing.map(({ id }) => id));
    this.#read();
  }

  /** From now on, events of these accounts are reported, whether a notification is made or not. */
  listen(accounts: readonly number[]): void {
    this.#listened = new Set(accounts);
  }

  begin(rows: Rows): void {
    rows.notifications.destinations = this.#destinations;
    rows.webhooks.failing = this.#failing;
    rows.notifications.listened = this.#listened;
  }

  committed({ notifications, webhooks }: Rows): void {
    for (const [id, { failingSince }] of webhooks.byId) {
      if (failingSince === null) this.#failing.delete(id);
      else this.#failing.add(id);
    }
    if (notifications.haveDestinationsChanged) this.#read();
  }

  #read(): void {
    const all = this.#statements.rows(matchShape, 'select * from webhook where removed_at is null order by id');
    const webhooks = Map.groupBy(all, ({ account }) => account);
    const withLogin = 'select distinct account from login where removed_at is null';
    const logins = new Set(this.#statements.rows(ownerShape, withLogin).map(({ account }) => account));
    this.#destinations = new Map(
      [...new Set([...webhooks.keys(), ...logins])].map((account) => [
        account,
        { webhooks: webhooks.get(account) ?? [], hasLogin: logins.has(account) },
      ]),
    );
  }
}

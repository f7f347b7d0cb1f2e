/* Loads opt-out lists. Keeps in memory which accounts have one, and the settings of accounts. */

import type { OptOutHandling } from '../../../core/number/opt-out.ts';
import type { OptOutCommand } from '../../commands/opt-out.ts';
import { integer } from '../../tables/column.ts';
import { handlingsOf, optOutHandlingTable, optOutTable, optOutWordTable, receiverKey } from '../../tables/opt-out.ts';
import type { OptOutRow } from '../../tables/opt-out.ts';
import type { Rows } from '../../tables/rows.ts';
import { shape } from '../../tables/table.ts';
import type { Statements } from '../statements.ts';

const changeShape = shape({ account: integer, at: integer });

/**
 * Loads the lists of the receivers that commands name. The accounts with a list, and their settings, are in memory:
 * with one writing connection, the memory equals the database. A message of an account without a list costs a look into
 * a set, any other a look into the primary key.
 */
export class OptOuts {
  readonly #statements: Statements;
  /** May hold an account whose list is empty by now. */
  #accounts = new Set<number>();
  #handlings = new Map<number, OptOutHandling>();

  constructor(statements: Statements) {
    this.#statements = statements;
    this.#read();
  }

  /** Called before anything else is loaded for a group. */
  begin(rows: Rows): void {
    rows.optOuts.handlings = this.#handlings;
  }

  /** The list entries for the receiver of a message. */
  load(rows: Rows, message: Pick<OptOutRow, 'account' | 'receiver'>): void {
    if (!this.#accounts.has(message.account)) return;
    const key = receiverKey(message);
    if (rows.optOuts.byReceiver.has(key)) return;
    const { account, receiver } = message;
    const listed = this.#statements.find(optOutTable, 'where account = ? and receiver = ?', account, receiver);
    rows.optOuts.byReceiver.set(key, listed);
  }

  /**
   * The lists of all accounts with the sender of an inbound message: its account is known only when the message is
   * made.
   */
  loadPhone(rows: Rows, phone: string): void {
    if (this.#accounts.size === 0) return;
    const found = this.#statements.find(optOutTable, 'where receiver = ?', phone);
    for (const [key, listed] of Map.groupBy(found, receiverKey)) rows.optOuts.byReceiver.set(key, listed);
  }

  /** When the number's lists changed last. Its older messages no longer change them. */
  loadChanges(rows: Rows, phone: string): void {
    const found = this.#statements.rows(
      changeShape,
      'select account, max(at) as at from opt_out_event where receiver = ? group by account',
      phone,
    );
    for (const { account, at } of found) {
      rows.optOuts.changedAt.set(receiverKey({ account, receiver: phone }), at);
    }
  }

  loadFor(rows: Rows, command: OptOutCommand): void {
    const { account } = command;
    if (command.kind === 'add-opt-outs')
      for (const { receiver } of command.list) this.load(rows, { account, receiver });
    if (command.kind === 'remove-opt-out') this.load(rows, command);
  }

  committed({ optOuts }: Rows): void {
    for (const { row } of optOuts.steps) this.#accounts.add(row.account);
  }

  /** After a rollback: drops what the group changed. */
  rolledBack(): void {
    this.#read();
  }

  #read(): void {
    this.#accounts = new Set();
    // Account by account: `distinct` would go through every entry of every list.
    let account = this.#accountAfter(-1);
    while (account !== undefined) {
      this.#accounts.add(account);
      account = this.#accountAfter(account);
    }
    const handlings = this.#statements.find(optOutHandlingTable, '');
    this.#handlings = handlingsOf(handlings, this.#statements.find(optOutWordTable, ''));
  }

  #accountAfter(account: number): number | undefined {
    const next = 'select account from opt_out where account > ? order by account limit 1';
    return this.#statements.value(integer, next, account);
  }
}

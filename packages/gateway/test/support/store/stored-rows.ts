/* Fills every table of a database with random rows, so that tests can compare the results of queries. */

import type { DatabaseSync } from 'node:sqlite';
import { encryptionKeyTable } from '../../../src/state/tables/account.ts';
import type { AnyColumn, Stored } from '../../../src/state/tables/column.ts';
import { allTables } from '../../../src/state/tables/all.ts';
import { gatewayKeys, hashingVersion } from '../../../src/state/rows/keys.ts';
import { Chance } from '../chance.ts';
import { testVault } from './vault.ts';

/** The number of rows to be made for each table. A row whose key exists already is left out. */
const rowsOfTable = 120;
/** The largest value in columns of small numbers, such as instants and ids of accounts. */
const smallMax = 8;
/** The largest id of messages, and of other rows that a store has many of. */
const idMax = 40;

/** The values for columns that take only certain values, by `table.column` or by the column alone. */
const choices: { readonly [column: string]: readonly Stored[] } = {
  'account.name': ['acme', 'Beta', 'beta', 'delta', 'zulu', 'éclair', 'a-b', 'a_b'],
  'account.status': ['active', 'suspended', 'removed'],
  'carrier.name': ['alpha', 'Bravo', 'charlie', 'ängström'],
  'carrier.status': ['active', 'removed'],
  'alarm_receiver.name': ['night', 'day', 'phone'],
  'alarm_receiver.kind': ['heartbeat', 'sms'],
  'change_set.name': ['cheaper', 'dearer'],
  'change_set.roles': ['["operator"]'],
  'job.state': ['running', 'done'],
  'alarm_receiver.tries': ['[]', '[5]'],
  'price_list.name': ['default', 'Gold', 'silver', 'bronze'],
  'attempt.outcome': ['accepted', 'in_doubt', 'failed'],
  'part.state': ['queued', 'scheduled', 'in_doubt', 'delivered', 'sent'],
  'part.number': [1, 1, 2],
  part: [1, 1, 2],
  'part.report_event': ['delivered', 'undelivered', 'buffered'],
  'entry.kind': ['charge', 'refund', 'top-up'],
  'operator_key.operator': ['a', 'beta', 't1'],
  'operator_key.kind': ['key', 'session'],
  'traffic_slot.span': [60, 3_600],
  'notification.kind': ['receipt', 'inbound', 'alert'],
  'notification.state': ['waiting', 'dead', 'delivered'],
  'notification.event': ['delivered', 'undelivered'],
  'notification.event_at': [5],
  'notification.threshold': [5],
  'notification.balance': [3],
  'unmatched_receipt.why': ['unknown', 'unreadable'],
  'number.kind': ['number', 'prefix'],
  'keyword.kind': ['number', 'prefix'],
  'webhook.number_kind': ['number', 'prefix', null],
  'opt_out_event.wish': ['out', 'in'],
  'inbound.receiver': ['4179', '+4179', 'a'],
  'message.header': [null],
  // Sealed with a version of the key that does not exist, as if the key were erased.
  'inbound.content': [null, Uint8Array.of(99, 1)],
  'account.callback_secret': [null, Uint8Array.of(99, 1)],
  // No price list may be based on itself.
  'price_list_base.price_list': [1, 2],
  'price_list_base.base': [null, 3, 4],
  allowed_from: ['"any"', '[]'],
  rules: [null, '{}'],
  low_balance: ['[]'],
  margin_min: [null],
  scopes: ['["send"]'],
  filter: [null, '{}'],
  outcomes: ['{}', '{"settled":3}'],
  refunds: ['{}', '{"EUR":"5"}'],
  settings: ['{"kind":"smpp","profile":{}}'],
  secrets: ['{}'],
  kinds: ['["receipt"]'],
  template: [null],
  allowed: ['[]'],
  callback_allow: ['[]'],
  extras: [null],
  tags: [null, '["a","b"]'],
  callback: [null, '{"url":"https://example.com/?key=1","events":["sent"]}'],
  'tagged.tag': ['a', 'b'],
  time_zone: ['UTC'],
  digits: ['41', '417', '4179', '999'],
  prefix: ['', '4', '41', '417', '4179', '49'],
  eligible: ['1', '1 2', '2'],
  place: [0, 1, 2, 3],
  token: ['t0', 't1', 't2', 't3'],
  price_list: [1, 2, 3, 4],
  carrier: [1, 2, 3, 4],
  version: [1, 2, 3],
};

/** Columns of secrets that are sealed with the gateway's own key. */
const secretColumns = ['alarm_receiver.secret'] as const;

const words = ['a', 'B', 'b', 'Z', 'é', '', '+4179', '4179', 'stop', '_', '~'];

/** Writes random rows. They obey only the checks of columns and keys: their values need not fit together. */
export function fillByChance(database: DatabaseSync, seed: number): void {
  database.exec('pragma foreign_keys = off; pragma ignore_check_constraints = on');
  for (const table of allTables) {
    // Each table has its own random numbers, so that a new table does not change the rows of others.
    const chance = new Chance(seed);
    const columns = table.shape.columns();
    const places = columns.map(() => '?').join(', ');
    const insert = database.prepare(
      `insert or ignore into ${table.name} (${table.shape.names.join(', ')}) values (${places})`,
    );
    for (let row = 0; row < rowsOfTable; row++) {
      const place = { chance, table, row };
      insert.run(...columns.map(([name, column]) => valueOf(place, name, column)));
    }
  }
  const { shape } = encryptionKeyTable;
  const places = shape.names.map(() => '?').join(', ');
  const insert = database.prepare(`insert into encryption_key (${shape.names.join(', ')}) values (${places})`);
  for (const key of [gatewayKey, hashingKey]) insert.run(...shape.write({ ...key, createdAt: 0 }));
}

/** The gateway's own key. Accounts have no keys, as if these were erased. */
const gatewayKey = testVault.newKey(gatewayKeys, 1);
const hashingKey = testVault.newKey(gatewayKeys, hashingVersion);

interface Place {
  readonly chance: Chance;
  readonly table: (typeof allTables)[number];
  readonly row: number;
}

/** The columns that contain ids up to `idMax`. */
const referring = /^(message|subject|inbound|entry|first_message|last_message|refund_entry|notification|event)$/;

function valueOf({ chance, table, row }: Place, name: string, column: AnyColumn): Stored {
  const chosen = choices[`${table.name}.${name}`] ?? choices[name];
  // Names are unique, so a row takes the name with its index.
  if (chosen && name === 'name') return chosen[row % chosen.length] ?? null;
  // A key of a single column is the row's number, so that no row is left out.
  if (table.key.names.length === 1 && table.key.names[0] === name) return column.type === 'text' ? `t${row}` : row + 1;
  if (chosen) return chosen[chance.between(0, chosen.length - 1)] ?? null;
  const secret = secretColumns.find((each) => each === `${table.name}.${name}`);
  if (secret) return testVault.keyOf(gatewayKey).seal({ column: secret, id: row + 1 }, chance.pick(words));
  if (column.isNullable && chance.happens(0.4)) return null;
  switch (column.type) {
    case 'flag':
      return chance.between(0, 1);
    case 'integer':
      return chance.between(1, referring.test(name) ? idMax : smallMax);
    case 'text':
      return chance.pick(words);
    case 'blob':
      return Uint8Array.of(chance.between(0, 255), chance.between(0, 255));
  }
}

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { operate } from '../../../../test/support/store/operate.ts';
import { addKeyword, addNumber, removeNumber } from '../../../../test/support/clients/inbound-messages.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { auditViews } from '../../../store/views/access/audit.ts';
import type { AuditContext } from './audit.ts';

/* The entries of the audit log, as every engine stores them. */

const audit: AuditContext = {
  at: 5,
  operator: 'jane',
  role: 'owner',
  operatorKey: '0123456789ab',
  address: '192.0.2.7',
  requestId: 'r-1',
  operation: 'account.suspend',
  account: null,
  carrier: null,
  reason: null,
  given: '{}',
  isFirst: true,
};
const suspend = operate('account.suspend', { account: 'acme' }, { at: 0 });
const given = { account: 'acme', amount: toMicros(5n), reason: 'r' };
const topUp = operate('posting.topUp', given, { at: 0, by: 'jane' });

async function verify(store: TestStore, after: string) {
  const step = await auditViews['audit.verify'](store.queries, { after, now: 0, caller: '' });
  assert.ok(step.ok);
  return step.value;
}

async function faultOf(store: TestStore): Promise<string | undefined> {
  const checked = await verify(store, '0-0-');
  const faults = checked.faults.map(({ entry, detail }) => `${entry?.replace(/^\d+-/, '')}: ${detail}`);
  return faults.length === 0 ? undefined : faults.join('\n');
}

const entriesSql = 'select number, operation, account, changes from audit_entry order by number';

it('commands of one commit have consecutive audit entries, and a refused command has none', async () => {
  await using store = await TestStore.open();
  const unknown = { ...operate('account.suspend', { account: 'nobody' }, { at: 0 }), audit };
  const results = await store.apply({ ...topUp, audit }, unknown, store.accept(), { ...suspend, audit });
  assert.deepEqual(
    results.map(({ ok }) => ok),
    [true, false, true, true],
  );
  const entries = await store.rows(entriesSql);
  assert.deepEqual(
    entries.map(({ number, account }) => [Number(number), account]),
    [
      [1, 'acme'],
      [2, 'acme'],
    ],
  );
  const [first, second] = entries.map(({ changes }) => JSON.parse(String(changes)));
  const balances = first.find(({ table }: { table: string }) => table === 'account');
  assert.deepEqual([balances.before.balance, balances.after.balance], ['0.0001', '0.000105']);
  assert.deepEqual(second, [
    { table: 'account', key: { id: 1, name: 'acme' }, before: { status: 'active' }, after: { status: 'suspended' } },
  ]);
  await store.restart();
  assert.ok((await store.one({ ...operate('account.resume', { account: 'acme' }, { at: 0 }), audit })).ok);
  assert.equal(Number(await store.value('select number from audit_head')), 3);
  assert.equal(await faultOf(store), undefined);
});

it('the steps of together have an audit entry each, or none if they are not done', async () => {
  await using store = await TestStore.open();
  const keyword = addKeyword({ number: '8822', word: 'a' }, 'acme');
  await store.apply({ kind: 'together', at: 0, steps: [suspend, { ...topUp, audit }, keyword], isTrial: false, audit });
  assert.deepEqual(await store.rows(entriesSql), []);
  await store.apply({ kind: 'together', at: 0, steps: [suspend, { ...topUp, audit }], isTrial: false, audit });
  const entries = await store.rows(entriesSql);
  assert.deepEqual(
    entries.map(({ number, account }) => [Number(number), account]),
    [
      [1, 'acme'],
      [2, 'acme'],
    ],
  );
  assert.match(String(entries[0]?.['changes']), /"before":\{"status":"active"\},"after":\{"status":"suspended"\}/);
  assert.equal(await faultOf(store), undefined);
});

it('a later command of a request has an audit entry only if it changes settings', async () => {
  await using store = await TestStore.open();
  await store.apply({ ...topUp, audit }, { ...topUp, audit: { ...audit, isFirst: false } });
  assert.equal((await store.rows(entriesSql)).length, 1);
  await store.one({ ...suspend, audit: { ...audit, isFirst: false } });
  assert.equal((await store.rows(entriesSql)).length, 2);
  assert.equal(await faultOf(store), undefined);
});

it('a command without an operator has no audit entry', async () => {
  await using store = await TestStore.open();
  await store.apply(suspend, topUp);
  assert.deepEqual(await store.rows(entriesSql), []);
  assert.equal(await faultOf(store), undefined);
});

const head = 'update audit_head set number = 4, hash = (select hash from audit_entry where number = 4)';
const tampering: readonly (readonly [what: string, sql: string, says: RegExp | undefined])[] = [
  ['nothing', 'select 1', undefined],
  [
    'a changed entry',
    "update audit_entry set reason = 'a' where number = 3",
    /^3: the hash does not fit: entry 3 was changed/,
  ],
  ['a changed first entry', "update audit_entry set operator = 'joe' where number = 1", /^1: .*entry 1 was changed$/],
  [
    'a changed hash',
    'update audit_entry set hash = (select hash from audit_entry where number = 1) where number = 3',
    /^3: /,
  ],
  [
    'a removed entry',
    'delete from audit_entry where number = 4',
    /^4: entry 4 is missing: it was removed, and entry 5 cannot be checked without the one before it$/,
  ],
  [
    'removed entries',
    'delete from audit_entry where number in (3, 4)',
    /^3: entries 3 to 4 are missing: they were removed, and entry 5 cannot be checked[^\n]*$/,
  ],
  ['an entry in the place of a removed one', moved(4), /^4: the hash does not fit/],
  ['a removed first entry', 'delete from audit_entry where number = 1', /^1: entry 1 is missing/],
  ['a removed end', 'delete from audit_entry where number > 4', /^5: entries 5 to 6 are missing: they were removed$/],
  ['a removed record of the end', 'delete from audit_head', /^6: the record of the newest entry is missing$/],
  ['a changed record of the end', head, /^5: the record of the newest entry names entry 4, but later entries exist/],
  [
    'three faults, and not those that only follow from them',
    "update audit_entry set reason = 'a' where number in (1, 3); delete from audit_entry where number = 5",
    /^1: [^\n]*\n3: [^\n]*entry 3 was changed[^\n]*\n5: entry 5 is missing[^\n]*$/,
  ],
  ['all entries removed', 'delete from audit_entry', /^1: entries 1 to 6 are missing/],
];

/** SQL that removes an entry, and renumbers the later entries. */
function moved(number: number): string {
  const renumbered = [5, 6].map((each) => `update audit_entry set number = ${each - 1} where number = ${each}`);
  return [`delete from audit_entry where number = ${number}`, ...renumbered, head.replaceAll('4', '5')].join('; ');
}

for (const [what, sql, says] of tampering) {
  it(`the check finds ${what}`, async () => {
    await using store = await TestStore.open();
    await store.apply(...Array.from({ length: 6 }, () => ({ ...topUp, audit })));
    await store.force(sql);
    const found = await faultOf(store);
    if (says) assert.match(found ?? '', says);
    else assert.equal(found, undefined);
  });
}

it('an audit entry has the hash of what is stored', async () => {
  await using store = await TestStore.open();
  const odd = 'a\ud800 \ufffe \u202e e\u0301 \ufeff';
  await store.apply({ ...topUp, audit: { ...audit, reason: odd, given: odd, account: odd } }, { ...topUp, audit });
  assert.equal(await faultOf(store), undefined);
  assert.equal(await store.value('select reason from audit_entry where number = 1'), odd.toWellFormed());
});

/** The test's own account acme, which no operator added, is one more fault in each case. */
const missing: readonly (readonly [what: string, sql: string, says: readonly RegExp[]])[] = [
  ['nothing more', 'select 1', [/^account acme has no entry for its creation/]],
  [
    'a removed entry of a creation',
    "delete from audit_entry where account = 'shop'",
    [/^account acme/, /^account shop/],
  ],
  [
    'an account with another time',
    'update account set created_at = 8 where id = 2',
    [/^account acme/, /^account shop/],
  ],
  [
    'an operator with another time',
    "update operator set created_at = 9 where name = 'jane'",
    [/^account acme/, /^operator jane has no entry for its creation/],
  ],
  [
    'an emptied log',
    'delete from audit_entry; delete from audit_head',
    [/^account acme/, /^account shop/, /^operator jane/, /^the log is empty, but there are rows in operator, /],
  ],
];

for (const [what, sql, says] of missing) {
  it(`the check for missing entries of the audit log finds ${what}`, async () => {
    await using store = await TestStore.open();
    const shop = operate('account.add', { name: 'shop', currency: 'EUR' }, { at: 7, made: {} });
    await store.one({ ...shop, audit: { ...audit, operation: 'account.add' } });
    const jane = operate('operator.add', { operator: 'jane', role: 'owner' }, { at: 7 });
    await store.one({ ...jane, audit: { ...audit, operation: 'operator.add' } });
    await store.force(sql);
    const { faults, next } = await verify(store, 'account-0');
    assert.equal(next, null);
    assert.equal(faults.length, says.length, JSON.stringify(faults));
    for (const [at, each] of says.entries()) assert.match(faults[at]?.detail ?? '', each);
  });
}

it('the database refuses changes of audit entries', async () => {
  await using store = await TestStore.open();
  await store.one({ ...topUp, audit });
  await assert.rejects(store.run("update audit_entry set reason = 'a'"), /entries of the audit log cannot be changed/);
  await assert.rejects(store.run('delete from audit_entry'), /entries of the audit log cannot be/);
});

it('an audit entry has only the changes of its own command, even in rows that earlier commands changed', async () => {
  await using store = await TestStore.open({ isCompared: true });
  const commands = [
    addNumber('+41791112233', 'acme'),
    suspend,
    removeNumber('+41791112233'),
    topUp,
    operate('account.resume', { account: 'acme' }, { at: 0 }),
  ];
  const steps = commands.map((command) => ({ ...command, audit }));
  await store.apply({ kind: 'together', at: 0, steps, isTrial: false, audit });
  const entries = (await store.rows(entriesSql)).map(({ changes }): { table: string; after?: object }[] =>
    JSON.parse(String(changes)),
  );
  assert.deepEqual(
    entries.map((changes) => changes.map(({ table, after }) => `${after ? '' : 'no '}${table}`).join()),
    ['number', 'account', 'no number', 'account,entry', 'account'],
  );
  assert.deepEqual(entries.at(-1)?.at(0)?.after, { status: 'active' });
});

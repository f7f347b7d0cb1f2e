/*
 * Rules for every declared operation: only some roles may call it. An unknown name is refused, over HTTP and by the
 * command. So a script that counts rows never gets an empty list for an unknown name.
 */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { mayCall, roles } from '@morsel/api/admin/access/role.ts';
import { adminBase, askOperation } from '@morsel/api/admin/client.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { call, folder, gateway, key, post } from '../../../test/support/gateway/admin-api.ts';
import { declared, wordsOf, type Declared, type GivenFields } from '../../../test/support/gateway/declared.ts';
import { toJson } from '../../../test/support/json.ts';
import { operationTable } from '../../../test/support/gateway/operation-table.ts';
import { addOperator } from '../../../test/support/gateway/operators.ts';
import { runMorsel } from '../../../test/support/gateway/run-morsel.ts';

type Row = (typeof operationTable)[keyof typeof operationTable];

const rows = new Map<string, Row>(Object.entries(operationTable));
const known = [
  ['accounts', { name: 'known', currency: 'EUR' }],
  ['carriers', { name: 'known', host: '127.0.0.1', port: 1, systemId: 'us', password: '' }],
  ['routes', { prefix: '41', carrier: 'known' }],
] as const;

/** The path of an operation, with a name that does not exist. */
function somewhere({ path }: Operation): string {
  return `${adminBase}${path.replaceAll(/\{\w+\}/g, '1')}`;
}

describe('each role may call its operations and no others', () => {
  const keys = new Map<string, string>();
  before(async () => {
    for (const role of roles) keys.set(role, (await addOperator(gateway, role)).key);
  });

  for (const [at, role] of roles.entries()) {
    it(role, async () => {
      const headers = { authorization: `Bearer ${keys.get(role)}` };
      const answers = declared.map(async ({ name, operation }) => {
        const { status, text } = await call(operation.method, somewhere(operation), { headers });
        assert.notEqual(status, 401);
        const why = operation.isForSessions
          ? /only a session/
          : new RegExp(`this needs the role \\w+, and operator ${role} has`);
        if (status === 403) assert.match(text, why);
        return [name, status === 403 ? '-' : 'y'];
      });
      const wanted = [...rows].map(([name, { may }]) => [name, may[at]]);
      assert.deepEqual(Object.fromEntries(await Promise.all(answers)), Object.fromEntries(wanted));
    });
  }
});

/**
 * Fields that the role operator may change although only an owner may set them when adding the object. These fields
 * decide what a destination gets, not its address. `account` selects the dead letters that are replayed.
 */
const open: { readonly [resource: string]: readonly string[] } = {
  webhook: ['account', 'method', 'on', 'concurrency', 'number', 'prefix', 'keyword', 'fields', 'constants', 'template'],
};

const settings = ({ input, keys }: Operation) => Object.keys(input).filter((each) => !keys.includes(each));

describe('a field that only an owner may set', () => {
  for (const [name, { operations: all }] of Object.entries(resources)) {
    it(`of ${name}, only an owner may change`, () => {
      const changes = Object.values<Operation>(all).filter(({ isChange }) => isChange);
      const ofOwner = new Set(changes.filter(({ role }) => role === 'owner').flatMap(settings));
      const others = changes.filter(({ role }) => role !== 'owner');
      const left = others.flatMap((each) =>
        settings(each).filter((field) => ofOwner.has(field) && each.input[field]?.about.role !== 'owner'),
      );
      assert.deepEqual(left.toSorted(), (open[name] ?? []).toSorted());
    });
  }

  it('is refused to each other role that may call the operation', async () => {
    const fields = declared.flatMap(({ operation }) =>
      Object.entries(operation.input).flatMap(([field, { about }]) =>
        about.role === undefined ? [] : [{ operation, field, needs: about.role }],
      ),
    );
    assert.ok(fields.some(({ operation, needs }) => operation.role !== needs));
    for (const role of roles) {
      const { key: own } = await addOperator(gateway, role, `${role}-of-fields`);
      const headers = { authorization: `Bearer ${own}` };
      for (const { operation, field, needs } of fields) {
        if (!mayCall(role, operation.role)) continue;
        const body = JSON.stringify({ [field]: 'x' });
        const { status, text } = await call(operation.method, somewhere(operation), { body, headers });
        assert.equal(status === 403, !mayCall(role, needs), `${operation.path} ${field} ${role}`);
        if (status === 403)
          assert.match(text, new RegExp(`only the role ${needs} may set ${field}, and operator ${role}`));
      }
    }
  });
});

const noAccount = /there is no account named nobody/;
const noList = /there is no price list named nobody/;

/** Commands that call several operations, or whose options differ from the fields of their operation. */
const ownCommands: readonly (readonly [words: string, says: RegExp])[] = [
  ['listen nobody', noAccount],
  ['price remove --list nobody --all --yes', noList],
  ['price remove --list nobody --all', noList],
  ['price remove --list nobody --prefix 41', noList],
  ['price remove --list default --prefix 99', /itself has no price for prefix 99/],
  ['price set --list nobody --prefix 41 --price 1', noList],
  ['price import /dev/null --list nobody', noList],
  ['price diff nobody', noList],
  ['price diff default nobody', noList],
  ['carrier reconcile nobody /dev/null --from 2026-01-01 --to 2026-02-01', /there is no carrier named nobody/],
  ['cdr export --carrier nobody', /there is no carrier named nobody/],
  ['optout import /dev/null --account nobody --reason asked', noAccount],
  ['optout export --account nobody', noAccount],
];

describe('an unknown name is refused', () => {
  before(async () => {
    for (const [path, fields] of known) assert.equal((await post(`${adminBase}/${path}`, fields)).status, 200);
  });

  for (const each of declared) {
    for (const [given, says] of rows.get(each.name)?.unknown ?? []) {
      it(`${each.name} ${JSON.stringify(given)}`, () => assertUnknown(each, given, says));
    }
  }

  it('but a price list that was added with its account is known, although it has no prices yet', async () => {
    assert.match((await call('GET', '/admin/v1/price-lists/default/prices')).text, /"items":\[\]/);
  });

  for (const [line, says] of ownCommands) {
    it(`morsel ${line}`, async () => {
      const { status, out, errors } = await morsel(line.split(' '));
      assert.deepEqual([status, out], [1, '']);
      assert.match(errors, says);
    });
  }
});

const morsel = (words: readonly string[]) => runMorsel(words, { dataDir: folder });

async function assertUnknown(each: Declared, given: GivenFields, says: RegExp): Promise<void> {
  const base = `http://127.0.0.1:${gateway.adminPort}`;
  const answer = await askOperation({ base, credentials: { key }, operation: each.operation, given });
  assert.ok(!answer.ok && answer.error.kind === 'refused');
  const { status: httpStatus, text, problem } = answer.error;
  assert.equal(httpStatus, 404, text);
  assert.match(text, says);
  const words = wordsOf(each, given);
  if (words === undefined) return;
  const flags = each.command?.options?.some(({ flags: option }) => option === '--yes') === true ? ['--yes'] : [];
  const { status, out, errors } = await morsel([...words, ...flags]);
  assert.deepEqual([status, out, errors], [1, '', `morsel: ${problem.detail}\n`], words.join(' '));
  const json = await morsel([...words, ...flags, '--json']);
  assert.deepEqual([json.status, json.out, toJson(JSON.parse(json.errors))['code']], [1, '', problem.code]);
}

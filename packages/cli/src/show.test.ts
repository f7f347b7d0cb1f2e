import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { list, orNone, record } from '@morsel/api/fields/compose.ts';
import { count, name } from '@morsel/api/fields/fields.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import { csvHeading, csvRow } from '@morsel/api/admin/csv.ts';

describe('CSV of a list', () => {
  const version = { version: count({ summary: 'a version' }), base: orNone(name({ summary: 'a base' })) };
  const answer = {
    list: name({ summary: 'a list' }),
    pending: list(record(version, { summary: 'a version' }), { summary: 'versions' }),
    newest: record(version, { summary: 'a version' }),
    users: list(name({ summary: 'an account' }), { summary: 'accounts' }),
  };

  it('has a column for each member of an object', () => {
    assert.deepEqual(csvHeading(answer), ['list', 'pending', 'newest.version', 'newest.base', 'users']);
  });

  it('writes a list of objects as a text, and commas between the items of other lists', () => {
    const pending = [
      { version: 3, base: null },
      { version: 4, base: 'other' },
    ];
    const row = { list: 'default', pending, newest: { version: 4, base: null }, users: ['acme', 'beta'] };
    assert.deepEqual(csvRow(answer, row), ['default', 'version=3 base=; version=4 base=other', '4', '', 'acme,beta']);
    assert.equal(csvRow(answer, { ...row, pending: [], users: [] }).join('|'), 'default||4||');
  });

  it('has a column for each setting of the profile in `carrier list`', () => {
    const heading = csvHeading(resources.carrier.operations.list.answer);
    assert.ok(
      heading.includes('profile.bind') && heading.includes('profile.extraTlvs') && !heading.includes('profile'),
    );
  });
});

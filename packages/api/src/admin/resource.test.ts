import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from './resources.ts';
import { settingsOf } from './resource.ts';

describe('the settings of an operation', () => {
  it('are the fields of a PATCH without the fields that select a row', () => {
    assert.deepEqual(Object.keys(settingsOf(resources.number.operations.set)), ['account', 'shared']);
    assert.deepEqual(Object.keys(settingsOf(resources.login.operations.set)), ['password', 'from']);
  });

  it('do not exist for other methods', () => {
    assert.deepEqual(settingsOf(resources.number.operations.add), {});
  });
});

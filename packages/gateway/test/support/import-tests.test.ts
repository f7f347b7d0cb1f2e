import assert from 'node:assert/strict';
import { it } from 'node:test';
import { importTests } from './import-tests.ts';

it('a pattern fails without a test file, and so does each name in its braces', async () => {
  await assert.rejects(importTests('gateway/src/*.test.ts', 'gateway/nothing/*.test.ts'), /matches gateway\/nothing/);
  await assert.rejects(importTests('gateway/test/tour/{race,former}.test.ts'), /matches gateway\/test\/tour\/former/);
});

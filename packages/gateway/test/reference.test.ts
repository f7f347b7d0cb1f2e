import assert from 'node:assert/strict';
import { it } from 'node:test';
import { outdatedPages } from '../../../docs/reference/make.ts';

it('docs/reference has what the declarations say', () => {
  assert.deepEqual(outdatedPages(), [], 'run `npm run reference`, and commit the pages');
});

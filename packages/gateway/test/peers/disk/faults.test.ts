/* Some of the scripts of `npm run faults`. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { Child } from '../../support/gateway/child.ts';
import { missing } from '../needs.ts';

for (const name of ['power-cut', 'stalled-fsync', 'descriptors']) {
  it(`${name}: nothing is lost or double`, { skip: missing('cc') }, async (t) => {
    const file = join(import.meta.dirname, `../../faults/${name}.ts`);
    const { status, out, errors } = await new Child([], { file }).ended;
    assert.equal(status, 0, out + errors);
    t.diagnostic(out.trim());
  });
}

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { descriptorLimit, shareDescriptors } from './descriptors.ts';

describe('file descriptors', () => {
  const rows: readonly (readonly [limit: number, http: number, smpp: number])[] = [
    [256, 48, 8],
    [1_024, 576, 96],
    [4_096, 2_304, 384],
    [65_536, 20_000, 5_000],
    [Infinity, 20_000, 5_000],
  ];
  for (const [limit, http, smpp] of rows) {
    it(`are divided so that clients never use up all ${limit}`, () => {
      assert.deepEqual(shareDescriptors(limit), { ok: true, value: { http, smpp } });
      assert.ok(http + 2 * smpp <= limit - 192);
    });
  }

  it('below the minimum are refused with an error that says what to do', () => {
    const shared = shareDescriptors(255);
    assert.ok(!shared.ok);
    assert.match(shared.error, /may open 255 .* at least 256: raise the limit \(ulimit -n/);
  });

  it('have the limit of the system', { skip: process.platform !== 'linux' && 'only Linux says so in /proc' }, () => {
    const shown = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
    assert.equal(descriptorLimit(), shown === 'unlimited' ? Infinity : Number(shown));
  });
});

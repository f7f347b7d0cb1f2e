/* The setting MORSEL_MEMORY_MIB, from which the limits of V8 and the caches follow. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { memoryMinMib, memoryShares, memoryUsualMib } from '../../src/core/base/memory.ts';
import { usualMemoryMib } from '../../src/runtime/heap.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';

describe('MORSEL_MEMORY_MIB', () => {
  const rows: readonly (readonly [memoryMib: number, semiSpaceMib: number, cacheKib: number, messagesMax: number])[] = [
    [memoryMinMib, 8, 13_653, 3_200],
    [memoryUsualMib, 16, 16_384, 3_840],
    [2_048, 64, 87_381, 20_480],
  ];
  for (const [memoryMib, semiSpaceMib, cacheKib, messagesMax] of rows) {
    it(`of ${memoryMib} is divided`, () => {
      assert.deepEqual(memoryShares(memoryMib), { semiSpaceMib, cacheKib, messagesMax });
    });
  }

  it('fits the machine by default', () => {
    assert.ok(usualMemoryMib() >= memoryMinMib && usualMemoryMib() <= memoryUsualMib);
  });

  it(
    'limits the process from its start',
    { skip: !existsSync('/proc/self/environ') && 'only Linux says so' },
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'morsel-memory-'));
      try {
        await using program = await GatewayProcess.start({ dataDir, environment: { MORSEL_MEMORY_MIB: '320' } });
        const wordsOf = (file: string) => readFileSync(`/proc/${program.pid}/${file}`, 'utf8').split('\0');
        assert.ok(wordsOf('cmdline').includes('--max-semi-space-size=8'));
        assert.ok(wordsOf('environ').includes('MALLOC_ARENA_MAX=2'));
        await program.stop();
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  );
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WordMeaning } from '@morsel/api/values/number.ts';
import { warningsOfWords, wordFor } from './account-words.ts';

describe('an account’s own opt-out words', () => {
  const rows: readonly (readonly [
    own: Readonly<Record<string, WordMeaning>>,
    stop: string,
    start: string,
    warnings: readonly RegExp[],
  ])[] = [
    [{}, 'STOP', 'START', []],
    [{ 'stop acme': 'stop', cancel: 'nothing' }, 'STOP', 'START', []],
    [{ stop: 'nothing' }, 'STOPALL', 'START', [/^STOP means nothing here: people write it to get no more/]],
    [{ stop: 'nothing', enough: 'stop' }, 'ENOUGH', 'START', [/^STOP means nothing/]],
    [{ start: 'stop' }, 'STOP', 'UNSTOP', [/^START opts phones out here: people write it to get messages again$/]],
    [{ stop: 'start' }, 'STOPALL', 'START', [/^STOP opts phones in again here/]],
    [{ stop: 'nothing', start: 'stop', go: 'start' }, 'START', 'GO', [/^STOP means/, /^START opts phones out/]],
    [{ start: 'nothing' }, 'STOP', 'UNSTOP', []],
  ];
  for (const [given, stop, start, warnings] of rows) {
    it(`${JSON.stringify(given)}: ${stop} opts out, ${start} opts in again`, () => {
      const own = new Map(Object.entries(given));
      assert.deepEqual([wordFor('stop', own), wordFor('start', own)], [stop, start]);
      const told = warningsOfWords(own);
      assert.equal(told.length, warnings.length);
      for (const [at, warning] of warnings.entries()) assert.match(told[at] ?? '', warning);
    });
  }
});

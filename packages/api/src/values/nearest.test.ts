import assert from 'node:assert/strict';
import { it } from 'node:test';
import { near } from './nearest.ts';

const rows: readonly (readonly [word: string, candidates: string, found: string | undefined])[] = [
  ['lst', 'add,list,set', 'list'],
  ['--jsn', '--json,--help', '--json'],
  ['remove', 'resume,rules', undefined],
  ['list', 'wist', undefined],
  ['balances', 'balance,account', 'balance'],
  ['statistic', 'status', undefined],
];
for (const [word, candidates, found] of rows) {
  it(`of ${candidates}, ${found ?? 'nothing'} is near ${word}`, () => {
    assert.equal(near(word, candidates.split(',')), found);
  });
}

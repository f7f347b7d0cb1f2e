import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seenText } from './limits.ts';

describe('a text as a reader sees it', () => {
  it('is the same text with other case, width, spaces around it and invisible characters', () => {
    for (const other of ['Hello', ' Hello\r\n', 'He\u200bllo', 'Hel\u00adlo', 'HELLO', '\ufeffHello', 'Ｈｅｌｌｏ'])
      assert.equal(seenText(other), seenText('Hello'), other);
  });
  for (const [one, other] of [
    ['Hello', 'Hello!'],
    ['Code 1 2', 'Code 12'],
    ['1.5', '15'],
    ['😀', '😢'],
    ['Müller', 'Muller'],
    ['Да', 'да!'],
  ] as const) {
    it(`${one} counts as another text than ${other}`, () => assert.notEqual(seenText(one), seenText(other)));
  }
});

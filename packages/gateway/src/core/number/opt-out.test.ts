import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { coversSender, foldWord, readWish, type Wish } from './opt-out.ts';
import type { WordMeaning } from '@morsel/api/values/number.ts';
import { usualWords } from './opt-out-words.ts';

const none = new Map<string, WordMeaning>();

/** STOP in any spelling, with what should stop, and above a signature. */
const spellings = `STOP|  stop \r\n|"STOP."|«Stop!!!»|STOP STOP STOP|STOP 🛑🙏|\u200eSTOP\u00a0\ufeff|ＳＴＯＰ|stop, unsubscribe|
  Please stop|S.T.O.P|S T O P|s-t-o-p please|Stop now|stop this|Stop sending me messages|stop spam|STOP TEXTING MY PHONE!!|
  Please stop sending me these messages, thanks|STOP TEXTING ME, assholes|Stop texting me you idiots!|
  Stop\r\n-- \r\nSent from my iPhone|STOP\nSent from my iPhone|Stop Sent from my iPhone|Stop\n--\nMax Muster\nMuster AG`;

const textsOf = (joined: string) => joined.split(/\|(?:\n {2})?/);

/** The texts that are recognised as a wish, by the wish and the word that shows it. */
const wishes: readonly (readonly [wish: Wish, word: string, texts: readonly string[]])[] = [
  ['stop', 'stop', [...textsOf(spellings), 'STOP '.repeat(100)]],
  ['stop', 'opt out', textsOf("Opt-out|opt out of all messages|I'd like to opt out")],
  ['stop', 'stop all', ['STOP ALL']],
  ['stop', 'unsubscribe', textsOf('Unsubscribe me|Unsubscribe me, you morons|I want to unsubscribe')],
  ['stop', 'opt me out', ['Opt me out']],
  ['stop', 'cancel', ['cancel my subscription']],
  ['stop', 'revoke', ['revoke consent']],
  ['stop', 'remove me', ['Remove me from your list']],
  ['stop', 'don t text me', ["don't text me"]],
  ['stop', 'abmelden', ['Abmelden\nVon meinem iPhone gesendet']],
  ['stop', 'arret sms', ['ARRÊT SMS']],
  ['stop', 'arretez', ["Arrêtez s'il vous plaît"]],
  ['stop', 'iptal', textsOf('İPTAL|ıptal|Iptal')],
  ['stop', 'zrusit', ['ZRUŠIT']],
  ['stop', 'відписка', ['Відписка']],
  ['stop', 'τελοσ', ['ΤΈΛΟΣ']],
  ['stop', 'الغاء', ['إلغاء']],
  ['stop', 'הסר', ['הָסֵר']],
  ['stop', '退订', ['退订']],
  ['stop', '수신거부', ['수신거부']],
  ['start', 'start', ['START']],
  ['start', 'unstop', ['unstop']],
  ['start', 's abonner', ["S'abonner"]],
];

/** Each is neither an opt-out nor an opt-in. */
const others = `|🛑|Stop by the shop tomorrow|don't stop|STOP START|Is this the bus stop?|stopp mal kurz|
  Ich möchte mich anmelden und Karten bestellen|Voy a cancelar la cena|seis|The end is near|
  stop sending me the code, send the invoice|I want to stop|how do I unsubscribe|I do not want to unsubscribe|
  Cancel this|Cancel it, you idiots|stop texting me the code, I have it|cancel my order|
  Stop\nby the shop tomorrow|START\n-- \nSent from my iPhone|s t a y|The message was sent from my phone|YES|
  ок, стоп-кран не трогай|ЅТОР|STOP, or I shall tell everybody what you do, and my lawyer first of all`;

describe('a text', () => {
  for (const [wish, word, texts] of wishes) {
    it(`is recognised as ${wish} by ${word}: ${JSON.stringify(texts).slice(0, 80)}`, () => {
      for (const text of texts) assert.deepEqual(readWish(text, none), { wish, word }, text);
    });
  }

  it('that only has such a word is neither an opt-out nor an opt-in', () => {
    for (const text of [...textsOf(others), 'STOP '.repeat(400)]) assert.equal(readWish(text, none), undefined, text);
  });

  it('is recognised if it is a usual word of any language, with or without accents', () => {
    const stops = new Set(usualWords.flatMap(({ stop }) => stop.map(foldWord)));
    for (const { language, stop, start } of usualWords) {
      for (const word of stop) {
        for (const typed of [word, word.toLowerCase(), foldWord(word), `${word}.`]) {
          assert.equal(readWish(typed, none)?.wish, 'stop', `${language}: ${typed}`);
        }
      }
      for (const word of start) {
        assert.equal(readWish(word, none)?.wish, 'start', `${language}: ${word}`);
        assert.ok(!stops.has(foldWord(word)), `${word} is a stop word elsewhere`);
      }
    }
  });

  it('is compared with the account’s own words before the usual words', () => {
    const own = new Map<string, WordMeaning>([
      ['stop acme', 'stop'],
      ['cancel', 'nothing'],
      ['yes', 'start'],
    ]);
    assert.deepEqual(readWish('Stop ACME!', own), { wish: 'stop', word: 'stop acme' });
    assert.equal(readWish('CANCEL', own), undefined);
    assert.equal(readWish('yes', own)?.wish, 'start');
    assert.equal(readWish('stop', own)?.wish, 'stop');
    assert.equal(readWish('cancel my subscription', own), undefined);
    assert.equal(readWish('STOP ACME\n-- \nSent from my iPhone', own)?.word, 'stop acme');
  });

  it('of any characters can be folded, and folding it twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        assert.equal(foldWord(foldWord(text)), foldWord(text));
        readWish(text, none);
      }),
    );
  });

  it('with one more word than the usual words is no opt-out', () => {
    const words = fc.constantFrom(...usualWords.flatMap(({ stop }) => stop));
    fc.assert(
      fc.property(words, fc.constantFrom('bus', 'mañana', 'завтра', '12'), (word, more) => {
        assert.equal(readWish(`${word} ${more}`, none), undefined);
        assert.equal(readWish(`${more} ${word}`, none), undefined);
      }),
    );
  });
});

it('an entry of the opt-out list covers its sender in upper and lower case; without a sender it covers all', () => {
  assert.ok(coversSender('', 'ACME') && coversSender('ACME', 'Acme') && coversSender('+41791112233', '+41791112233'));
  assert.ok(!coversSender('ACME', 'ACME2') && !coversSender('+41791112233', '8811'));
});

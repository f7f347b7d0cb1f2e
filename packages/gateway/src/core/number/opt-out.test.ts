import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { coversSender, foldWord, readWish, type Wish } from './opt-out.ts';
import type { WordMeaning } from '@morsel/api/values/number.ts';
import { usualWords } from './opt-out-words.ts';

const none = new Map<string, WordMeaning>();

const wishes: readonly (readonly [text: string, wish: Wish, word: string])[] = [
  // STOP in any spelling: case, punctuation, spaces, emoji, invisible marks, full width.
  ['STOP', 'stop', 'stop'],
  ['Stop', 'stop', 'stop'],
  ['  stop \r\n', 'stop', 'stop'],
  ['"STOP."', 'stop', 'stop'],
  ['«Stop!!!»', 'stop', 'stop'],
  ['STOP 🛑🙏', 'stop', 'stop'],
  ['\u200eSTOP\u00a0\ufeff', 'stop', 'stop'],
  ['ＳＴＯＰ', 'stop', 'stop'],
  ['STOP STOP STOP', 'stop', 'stop'],
  ['stop, unsubscribe', 'stop', 'stop'],
  ['Please stop', 'stop', 'stop'],
  ['stop please!', 'stop', 'stop'],
  ['Opt-out', 'stop', 'opt out'],
  ['STOP ALL', 'stop', 'stop all'],
  ['S.T.O.P', 'stop', 'stop'],
  ['S T O P', 'stop', 'stop'],
  ['s-t-o-p please', 'stop', 'stop'],
  ['STOP '.repeat(100), 'stop', 'stop'],
  // By any reasonable means: a text that only says what should stop.
  ['Stop now', 'stop', 'stop'],
  ['stop this', 'stop', 'stop'],
  ['Unsubscribe me', 'stop', 'unsubscribe'],
  ['Stop sending me messages', 'stop', 'stop'],
  ['Please stop sending me these messages, thanks', 'stop', 'stop'],
  ['STOP TEXTING MY PHONE!!', 'stop', 'stop'],
  ['stop spam', 'stop', 'stop'],
  ['Stop texting me you idiots!', 'stop', 'stop'],
  ['STOP TEXTING ME, assholes', 'stop', 'stop'],
  ['stop these fucking messages', 'stop', 'stop'],
  ['Unsubscribe me, you morons', 'stop', 'unsubscribe'],
  ['Quit texting me you spammers', 'stop', 'quit'],
  ['Opt me out', 'stop', 'opt me out'],
  ['opt out of all messages', 'stop', 'opt out'],
  ['I want to unsubscribe', 'stop', 'unsubscribe'],
  ["I'd like to opt out", 'stop', 'opt out'],
  ['cancel my subscription', 'stop', 'cancel'],
  ['End these texts', 'stop', 'end'],
  ['Quit texting me', 'stop', 'quit'],
  ['revoke consent', 'stop', 'revoke'],
  ['Remove me from your list', 'stop', 'remove me'],
  ["don't text me", 'stop', 'don t text me'],
  // An opt-out above a signature.
  ['Stop\r\n-- \r\nSent from my iPhone', 'stop', 'stop'],
  ['STOP\n\nSent from my Galaxy', 'stop', 'stop'],
  ['STOP\nSent from my iPhone', 'stop', 'stop'],
  ['Stop Sent from my iPhone', 'stop', 'stop'],
  ['Abmelden\nVon meinem iPhone gesendet', 'stop', 'abmelden'],
  ['Arrêt\n\nEnvoyé de mon iPhone', 'stop', 'arret'],
  ['Stop\n--\nMax Muster\nMuster AG', 'stop', 'stop'],
  // Words with their accents and without.
  ['ARRÊT SMS', 'stop', 'arret sms'],
  ['Arret', 'stop', 'arret'],
  ['désabonner', 'stop', 'desabonner'],
  ["Arrêtez s'il vous plaît", 'stop', 'arretez'],
  ['Abmelden bitte', 'stop', 'abmelden'],
  ['İPTAL', 'stop', 'iptal'],
  ['ıptal', 'stop', 'iptal'],
  ['Iptal', 'stop', 'iptal'],
  ['ret', 'stop', 'ret'],
  ['rezygnuje', 'stop', 'rezygnuje'],
  ['ZRUŠIT', 'stop', 'zrusit'],
  ['стоп', 'stop', 'стоп'],
  ['Відписка', 'stop', 'відписка'],
  ['Στοπ', 'stop', 'στοπ'],
  ['ΤΈΛΟΣ', 'stop', 'τελοσ'],
  ['إلغاء', 'stop', 'الغاء'],
  ['الغاء', 'stop', 'الغاء'],
  ['הָסֵר', 'stop', 'הסר'],
  ['退订', 'stop', '退订'],
  ['td', 'stop', 'td'],
  ['수신거부', 'stop', '수신거부'],
  ['START', 'start', 'start'],
  ['Start!', 'start', 'start'],
  ['unstop', 'start', 'unstop'],
  ["S'abonner", 'start', 's abonner'],
  ['Старт', 'start', 'старт'],
];

const others: readonly string[] = [
  '',
  '!!!',
  '🛑',
  'Stop by the shop tomorrow',
  "don't stop",
  'non-stop',
  'STOP START',
  'Is this the bus stop?',
  'nonstop',
  'stopp mal kurz',
  'Ich möchte mich anmelden und Karten bestellen',
  'Je suis à l’arrêt de bus',
  'Nos vemos en el alto',
  'Voy a cancelar la cena',
  'La baja es mañana',
  'seis',
  'The end is near',
  'stop by tonight?',
  'Stop by now',
  'stop at my place',
  'Stop the car',
  'stop sending me the code, send the invoice',
  'can you stop by',
  'I want to stop',
  'I want to quit smoking',
  'how do I unsubscribe',
  'I do not want to unsubscribe',
  'cancel it',
  'Cancel this',
  'end of message',
  'Quit it',
  'Cancel it, you idiots',
  'stop texting me the code, I have it',
  'you idiots',
  'cancel my order',
  'Stop\nby the shop tomorrow',
  'Cancel\nmy appointment',
  'START\n-- \nSent from my iPhone',
  'start now',
  's t a y',
  'The message was sent from my phone',
  'cancel my appointment on Monday',
  'YES',
  'OK',
  'ок, стоп-кран не трогай',
  'ЅТОР', // Look-alikes: Cyrillic.
  'STOP '.repeat(400),
  'STOP, or I shall tell everybody what you do, and my lawyer first of all',
];

describe('a text', () => {
  for (const [text, wish, word] of wishes) {
    it(`${JSON.stringify(text)} is recognised as ${wish}`, () =>
      assert.deepEqual(readWish(text, none), { wish, word }));
  }

  for (const text of others) {
    it(`${JSON.stringify(text.slice(0, 50))} is neither an opt-out nor an opt-in`, () =>
      assert.equal(readWish(text, none), undefined));
  }

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

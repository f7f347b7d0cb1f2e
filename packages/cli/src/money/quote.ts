import { asking } from '../admin-client.ts';
import type { Command } from '../command.ts';
import { keyOption, messageOptions } from '../message/send.ts';
import { card, toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

export const quoteCommands: readonly Command[] = [
  {
    words: 'quote',
    summary: 'Show what a message would cost an account, and why; nothing is sent or charged',
    options: [...messageOptions, keyOption],
    examples: [
      ['quote --account acme --sender Shop --receiver +41791112233 --text "Hello"', 'parts, price, route and balance'],
    ],
    run: ({ values: { key, ...given }, ...input }, shell) =>
      askQuote({ ...input, values: key === undefined ? given : { ...given, idempotencyKey: key } }, shell),
  },
];

const askQuote = asking('quote', (value) => quoteCard(toRow(value)));

function quoteCard(quote: Row): string {
  const currency = word(quote, 'clientCurrency');
  const parts = word(quote, 'numParts');
  if (word(quote, 'isReplay') === 'true') return replayCard(quote);
  const version = `${word(quote, 'priceList')}, version ${word(quote, 'priceVersion')}`;
  return card([
    ['parts', `${parts} in ${word(quote, 'encoding')}${outside(quote)}`],
    ['price', `${word(quote, 'unitPrice')} ${currency} a part: ${prefix(quote, 'pricePrefix')} of ${version}`],
    ['cost', `${word(quote, 'totalCost')} ${currency}`],
    ['route', `${prefix(quote, 'routePrefix')}${narrowed(quote)} through ${carriers(quote)}`],
    ['balance', `${word(quote, 'clientBalance')} ${currency}`],
    ['left', `${word(quote, 'balanceAfter')} ${currency}${isCovered(quote) ? '' : ': the balance does not suffice'}`],
  ]);
}

/** Price and route were those of the message that was accepted then. */
function replayCard(quote: Row): string {
  const currency = word(quote, 'clientCurrency');
  return card([
    ['parts', `${word(quote, 'numParts')} in ${word(quote, 'encoding')}${outside(quote)}`],
    ['cost', `nothing more: this was accepted before, under this key, for ${word(quote, 'totalCost')} ${currency}`],
    ['balance', `${word(quote, 'clientBalance')} ${currency}`],
  ]);
}

/** What keeps the text from the GSM alphabet, where anything does. */
function outside(quote: Row): string {
  const count = Number(word(quote, 'ucsCount'));
  if (count === 0) return '';
  const named = toRows(quote['ucsCharacters']).map((row) => `${word(row, 'character')} at ${word(row, 'position')}`);
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  return `; GSM has no ${named.join(', ')}${more}`;
}

function isCovered(quote: Row): boolean {
  return word(quote, 'isCovered') === 'true';
}

/** The empty prefix has to be seen. */
function prefix(quote: Row, member: string): string {
  return word(quote, member) || '(any)';
}

function narrowed(quote: Row): string {
  const asked = [word(quote, 'routeSender'), word(quote, 'routeEncoding')].filter((each) => each !== '');
  return asked.length === 0 ? '' : ` (${asked.join(', ')})`;
}

function carriers(quote: Row): string {
  const names = quote['carriers'];
  return Array.isArray(names) ? names.join(', ') : '';
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Number ranges of networks. Without the file, ranges of Switzerland replace them. */
const carrierPrefixes = join(import.meta.dirname, '../../shared/data/numbers/carrier-prefixes.tsv');

/** Makes `size` prefixes: 41, the prefixes of networks, and these prefixes with more digits. */
export function makeDeck(size: number): string[] {
  const networks = existsSync(carrierPrefixes)
    ? readFileSync(carrierPrefixes, 'utf8').match(/^\d+/gm)
    : Array.from({ length: 1_000 }, (_none, index) => `4179${String(index).padStart(3, '0')}`);
  const deck = new Set(['41', ...(networks ?? [])]);
  // The loop also extends the prefixes that it adds.
  for (const prefix of deck) {
    if (prefix.length >= 15) continue;
    for (let digit = 0; digit < 10 && deck.size < size; digit++) deck.add(`${prefix}${digit}`);
    if (deck.size >= size) break;
  }
  return [...deck].slice(0, size);
}

/**
 * A price file in which all prefixes have one price. So a message with another price was charged by two versions of the
 * price list.
 */
export function writeDeck(file: string, prefixes: readonly string[], price: string): void {
  writeFileSync(file, ['prefix,price', ...prefixes.map((prefix) => `${prefix},${price}`), ''].join('\n'));
}

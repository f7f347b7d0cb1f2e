import type { Micros } from '@morsel/api/values/money.ts';
import { readPrice } from './cells.ts';
import type { DecimalMark } from './cells.ts';
import type { Problem } from '../../files/csv-read.ts';

/* Collects the prices of one file, with the rows that are left out and all problems. */

export const priceFormats = ['csv', 'mccmnc', 'gatum', 'carrierx'] as const;
export type PriceFormat = (typeof priceFormats)[number];

/** Rows that are left out, and why. */
export interface LeftOut {
  readonly why: string;
  readonly rows: number;
  readonly firstLine: number;
  /** The number of the item in a JSON list, which may be one long line. */
  readonly firstItem?: number;
}

export interface GatheredPrices {
  readonly prices: ReadonlyMap<string, Micros>;
  readonly leftOut: readonly LeftOut[];
  /** Ordered by line. A file with a problem must not be used. */
  readonly problems: readonly Problem[];
}

/** Takes prices line by line: each prefix has one price. */
export class Gathered {
  readonly problems: Problem[] = [];
  readonly #prices = new Map<string, { readonly unitPrice: Micros; readonly line: number }>();
  readonly #leftOut = new Map<string, { rows: number; readonly firstLine: number }>();
  readonly #marks = new Map<DecimalMark, number[]>();
  readonly #mayBeFree: boolean;
  readonly #place: 'line' | 'item';

  /** `place` says what the numbers of lines count: lines, or items of a JSON list. */
  constructor({ mayBeFree, place }: { readonly mayBeFree: boolean; readonly place: 'line' | 'item' }) {
    this.#mayBeFree = mayBeFree;
    this.#place = place;
  }

  /** Reads the price of a cell. Where it cannot be used, the answer is undefined and the problem is stored. */
  price(cell: string, line: number): Micros | undefined {
    const price = readPrice(cell);
    if (!price.ok) {
      this.problems.push({ line, detail: price.error });
      return undefined;
    }
    const { unitPrice, mark } = price.value;
    const lines = this.#marks.get(mark);
    if (lines) lines.push(line);
    else this.#marks.set(mark, [line]);
    if (unitPrice === 0n && !this.#mayBeFree) {
      this.problems.push({ line, detail: 'its price is 0: use --allow-free if that is meant' });
      return undefined;
    }
    return unitPrice;
  }

  add(prefix: string, unitPrice: Micros, line: number): void {
    const former = this.#prices.get(prefix);
    if (!former) this.#prices.set(prefix, { unitPrice, line });
    else if (former.unitPrice === unitPrice) this.leaveOut('that repeat another row', line);
    else {
      const detail = `prefix ${prefix === '' ? '*' : prefix} has another price in ${this.#place} ${former.line}`;
      this.problems.push({ line, detail });
    }
  }

  leaveOut(why: string, line: number): void {
    const known = this.#leftOut.get(why);
    if (known) known.rows += 1;
    else this.#leftOut.set(why, { rows: 1, firstLine: line });
  }

  end(): GatheredPrices {
    const [point] = this.#marks.get('point') ?? [];
    // A file with 0.05 in one line does not mean decimals by a comma in another.
    for (const line of point === undefined ? [] : (this.#marks.get('comma') ?? [])) {
      this.problems.push({
        line,
        detail: `its price has a comma, and the one in ${this.#place} ${point} a decimal point`,
      });
    }
    return {
      prices: new Map([...this.#prices].map(([prefix, { unitPrice }]) => [prefix, unitPrice])),
      leftOut: [...this.#leftOut].map(([why, count]) => ({ why, ...count })),
      problems: this.problems.toSorted((a, b) => a.line - b.line),
    };
  }
}

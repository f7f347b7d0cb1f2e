import type { priceFormats } from '@morsel/api/admin/money/price-fields.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { readPrice, type DecimalMark } from '@morsel/api/admin/money/price-cells.ts';
import type { FileProblem } from '@morsel/api/admin/csv-read.ts';

/* Collects the prices of one file, the rows that are left out, and all problems. */

export type PriceFormat = (typeof priceFormats)[number];

export interface LeftOut {
  readonly why: string;
  readonly rows: number;
  /** The number of the first line or item that is left out. */
  readonly first: number;
}

export interface GatheredPrices {
  readonly prices: ReadonlyMap<string, Micros>;
  readonly leftOut: readonly LeftOut[];
  /** All problems, ordered by line. Callers must not use the prices of a file with a problem. */
  readonly problems: readonly FileProblem[];
}

/** Gathers the prices of one file. A second, different price for the same prefix is a problem. */
export class Gathered {
  readonly problems: FileProblem[] = [];
  readonly #prices = new Map<string, { readonly unitPrice: Micros; readonly line: number }>();
  readonly #leftOut = new Map<string, { rows: number; readonly first: number }>();
  readonly #marks = new Map<DecimalMark, number[]>();
  readonly #mayBeFree: boolean;
  readonly #place: 'line' | 'item';

  /** `place` says whether line numbers count lines of the file or items of a JSON list. */
  constructor({ mayBeFree, place }: { readonly mayBeFree: boolean; readonly place: 'line' | 'item' }) {
    this.#mayBeFree = mayBeFree;
    this.#place = place;
  }

  /** If the price cannot be used, stores a problem and returns undefined. */
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
      this.problems.push({ line, detail: 'the price is 0: add --allow-free if this is intended' });
      return undefined;
    }
    return unitPrice;
  }

  add(prefix: string, unitPrice: Micros, line: number): void {
    const former = this.#prices.get(prefix);
    if (!former) this.#prices.set(prefix, { unitPrice, line });
    else if (former.unitPrice === unitPrice) this.leaveOut('another row has the same prefix and price', line);
    else {
      const detail = `prefix ${prefix === '' ? '*' : prefix} has another price in ${this.#place} ${former.line}`;
      this.problems.push({ line, detail });
    }
  }

  leaveOut(why: string, line: number): void {
    const known = this.#leftOut.get(why);
    if (known) known.rows += 1;
    else this.#leftOut.set(why, { rows: 1, first: line });
  }

  end(): GatheredPrices {
    const [point] = this.#marks.get('point') ?? [];
    // If one price of a file has a decimal point, a comma in another price cannot be a decimal mark.
    for (const line of point === undefined ? [] : (this.#marks.get('comma') ?? [])) {
      this.problems.push({
        line,
        detail: `the price has a comma, but the price in ${this.#place} ${point} has a decimal point`,
      });
    }
    return {
      prices: new Map([...this.#prices].map(([prefix, { unitPrice }]) => [prefix, unitPrice])),
      leftOut: [...this.#leftOut].map(([why, count]) => ({ why, ...count })),
      problems: this.problems.toSorted((a, b) => a.line - b.line),
    };
  }
}

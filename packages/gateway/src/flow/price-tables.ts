import { PriceTable } from '../core/money/price-table.ts';
import type { PriceTables, Settings } from '../core/snapshot.ts';
import type { Reader } from '../store/reader.ts';

/** Caches the tables of prices, so that a reload of the settings reads only tables that changed. */
export class PriceTableCache {
  readonly #reader: () => Pick<Reader, 'ask'>;
  #tables = new Map<string, Promise<PriceTable | undefined>>();
  readonly #prepared = new Map<string, Promise<PriceTable | undefined>>();

  constructor(reader: () => Pick<Reader, 'ask'>) {
    this.#reader = reader;
  }

  async prepare(priceList: number, version: number): Promise<void> {
    const key = keyOf(priceList, version);
    const reading = this.#read(priceList, version);
    this.#prepared.set(key, reading);
    await reading;
  }

  /** Drops the prepared table of an import; call this when the import took effect or failed. */
  forget(priceList: number, version: number): void {
    this.#prepared.delete(keyOf(priceList, version));
  }

  /** Missing tables are read; cached tables that are no longer needed are dropped. */
  async of({ priceLists }: Settings): Promise<PriceTables> {
    const wanted = priceLists.flatMap(({ id, versions }) =>
      versions.map(({ version, edition = version }) => {
        const [key, name] = [`${keyOf(id, version)}.${edition}`, keyOf(id, version)];
        // A version that came from an import has its own number as its edition; only such a version can have been
        // prepared.
        const prepared = edition === version ? this.#prepared.get(name) : undefined;
        return { key, name, table: this.#tables.get(key) ?? prepared ?? this.#read(id, version) };
      }),
    );
    this.#tables = new Map(wanted.map(({ key, table }) => [key, table]));
    const tables = new Map<string, PriceTable>();
    for (const { key, name, table: reading } of wanted) {
      const table = await reading;
      if (!table) {
        this.#tables.delete(key);
        throw new Error('the prices cannot be read from the store');
      }
      tables.set(name, table);
    }
    return (priceList, version) => tables.get(keyOf(priceList, version));
  }

  async #read(priceList: number, version: number): Promise<PriceTable | undefined> {
    const packed = await this.#reader().ask('priceTable', { priceList, version });
    return packed.ok ? new PriceTable(packed.value) : undefined;
  }
}

function keyOf(priceList: number, version: number): string {
  return `${priceList}.${version}`;
}

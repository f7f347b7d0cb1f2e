import { PriceTable } from '../core/money/price-table.ts';
import type { PriceTables, Settings } from '../core/snapshot.ts';
import type { Reader } from '../store/reader.ts';

/**
 * The tables of the versions that matter, each edition read once, so that a reload after a
 * change of something else reads no price.
 */
export class PriceTableCache {
  readonly #reader: () => Pick<Reader, 'ask'>;
  #tables = new Map<string, Promise<PriceTable | undefined>>();
  /** Of imports that are about to take effect, under the same keys. */
  readonly #prepared = new Map<string, Promise<PriceTable | undefined>>();

  constructor(reader: () => Pick<Reader, 'ask'>) {
    this.#reader = reader;
  }

  /** Reads tables that will be needed soon, so that they are ready in time. */
  async prepare(priceList: number, version: number): Promise<void> {
    const key = keyOf(priceList, version);
    const reading = this.#read(priceList, version);
    this.#prepared.set(key, reading);
    await reading;
  }

  /** It is in effect and part of the next settings, or it failed. */
  forget(priceList: number, version: number): void {
    this.#prepared.delete(keyOf(priceList, version));
  }

  /** The tables for these settings: unknown ones are read, and unneeded ones dropped. */
  async of({ priceLists }: Settings): Promise<PriceTables> {
    const wanted = priceLists.flatMap(({ id, versions }) =>
      versions.map(({ version, edition = version }) => {
        const [key, name] = [`${keyOf(id, version)}.${edition}`, keyOf(id, version)];
        // An import is newer than every version: its edition is its own number.
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
        throw new Error('the prices cannot be read');
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

/** The map is made anew after at least so many new entries. Fewer would copy too often, more would keep more garbage. */
const renewedAfterMin = 1_000;

/**
 * A map whose entries come and go with each message. A plain `Map` is rehashed again and again then, and each old table
 * refers to the next one. As soon as one of them is in the old generation, it keeps all later ones alive with their
 * entries until the next major collection. So this map drops its table before that.
 */
export class PassingMap<Key, Value> {
  #entries = new Map<Key, Value>();
  #added = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, value);
    this.#added += 1;
    if (this.#added < Math.max(renewedAfterMin, this.#entries.size)) return;
    this.#entries = new Map(this.#entries);
    this.#added = 0;
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The key that was added first among those that are left. */
  get oldest(): Key | undefined {
    return this.#entries.keys().next().value;
  }
}

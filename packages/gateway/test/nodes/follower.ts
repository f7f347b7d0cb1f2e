/* A billing program that follows the CDRs of all nodes at any of them, and goes on from its place after each failure. */

import { textIn } from '../support/http-client.ts';
import type { Chance } from '../support/chance.ts';
import type { StoreFile } from '../support/store-file.ts';
import type { Pair } from './pair.ts';

export class Follower {
  readonly #pair: Pair;
  readonly #chance: Chance;
  #place = '';
  /** How often it got each record. */
  readonly #taken = new Map<string, number>();

  constructor(pair: Pair, chance: Chance) {
    this.#pair = pair;
    this.#chance = chance;
  }

  /** Takes the records that there are now. Returns whether there may be more. */
  async take(): Promise<boolean> {
    const { node } = this.#chance.pick(this.#pair.places.filter((place) => !place.node.isEnded));
    const { body } = await node.administer('GET', `/v1/cdrs/follow?after=${this.#place}`);
    const records: unknown = body['records'];
    for (const record of Array.isArray(records) ? records : []) {
      const id = textIn(record, 'id');
      this.#taken.set(id, (this.#taken.get(id) ?? 0) + 1);
    }
    this.#place = textIn(body, 'place');
    return body['isMore'] === true;
  }

  /** Each record that is stored came once, and no other one. */
  async faults(store: StoreFile): Promise<string[]> {
    while (await this.take());
    const stored = new Set(store.rows('select id from cdr').map((row) => row.micros('id').toString()));
    const unknown = [...this.#taken.keys()].filter((id) => !stored.has(id));
    const wrong = [...stored].filter((id) => this.#taken.get(id) !== 1);
    return [
      ...wrong.map((id) => `CDR ${id} came ${this.#taken.get(id) ?? 0} times`),
      ...unknown.map((id) => `CDR ${id} came, and is not stored`),
    ];
  }
}

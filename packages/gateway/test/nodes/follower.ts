/* A billing program that follows the CDRs of all nodes at any of them, and goes on from its place after each failure. */

import { setTimeout as sleep } from 'node:timers/promises';
import { textIn } from '../support/http-client.ts';
import type { Chance } from '../support/chance.ts';
import type { StoreFile } from '../support/store-file.ts';
import type { Pair } from './pair.ts';

const failuresMax = 5;
const againMs = 500;

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

  /** A node of a busy machine may end meanwhile, and is started again. */
  async #takeAll(): Promise<void> {
    for (let failures = 0; ;) {
      try {
        while (await this.take());
        return;
      } catch (fault) {
        failures += 1;
        if (failures > failuresMax) throw fault;
        await sleep(againMs);
        await this.#pair.restartEnded();
      }
    }
  }

  /** Each record that is stored came once, and no other one. */
  async faults(store: StoreFile): Promise<string[]> {
    await this.#takeAll();
    const stored = new Set(store.rows('select id from cdr').map((row) => row.micros('id').toString()));
    const unknown = [...this.#taken.keys()].filter((id) => !stored.has(id));
    const wrong = [...stored].filter((id) => this.#taken.get(id) !== 1);
    return [
      ...wrong.map((id) => `CDR ${id} came ${this.#taken.get(id) ?? 0} times`),
      ...unknown.map((id) => `CDR ${id} came, and is not stored`),
    ];
  }
}

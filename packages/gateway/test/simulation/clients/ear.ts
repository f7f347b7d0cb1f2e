/* Receivers of webhooks. Each keeps what it heard, for the judge. */

import type { Notification, TryOutcome } from '../../../src/core/notification/notification.ts';
import type { Destination } from '../../../src/flow/notification/worker.ts';
import type { ProcessClock, World } from '../world.ts';

/** How the receiver of a webhook behaves: shares from 0 to 1. */
export interface EarCharacter {
  readonly slowMaxMs: number;
  readonly fails: number;
  /** It takes the notification, but its answer is lost. */
  readonly forgets: number;
}

export interface Heard {
  readonly at: number;
  readonly notification: Notification;
  readonly isAnswered: boolean;
}

/** The receiver of an account's webhook, which outlives the gateway's runs. */
export class Ear {
  readonly heard: Heard[] = [];
  readonly #world: World;
  readonly #max: number;
  character: EarCharacter;
  #isWorking = 0;

  constructor(world: World, { character, max }: { readonly character: EarCharacter; readonly max: number }) {
    this.#world = world;
    this.character = character;
    this.#max = max;
  }

  /** The destination for one run of the gateway. */
  destination(clock: ProcessClock, hasRoom: () => void): Destination {
    this.#isWorking = 0;
    return {
      room: () => this.#max - this.#isWorking,
      deliver: (notification) => {
        this.#isWorking += 1;
        return new Promise<TryOutcome>((resolve) => {
          this.#world.soon(1, this.character.slowMaxMs, () => {
            const { chance } = this.#world;
            const isTaken = !chance.happens(this.character.fails);
            const isAnswered = isTaken && !chance.happens(this.character.forgets);
            if (isTaken) this.heard.push({ at: this.#world.nowMs, notification, isAnswered });
            if (!clock.isAlive) return;
            this.#isWorking -= 1;
            resolve({ kind: isAnswered ? 'delivered' : 'later', by: 'webhook 1', detail: isAnswered ? '200' : '500' });
            hasRoom();
          });
        });
      },
    };
  }
}

export function earOf({ chance }: World, isWild: boolean): EarCharacter {
  const share = (most: number) => (isWild && chance.happens(0.5) ? chance.next() * most : 0);
  return { slowMaxMs: chance.pick([10, 1_000]), fails: share(0.3), forgets: share(0.2) };
}

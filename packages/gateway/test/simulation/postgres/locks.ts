/* The locks of transactions. A transaction waits until all earlier ones have released a lock. */

import type { World } from '../world.ts';
import { DatabaseFault } from './dialect.ts';

type Mode = 'shared' | 'exclusive';

interface Waiting {
  readonly holder: object;
  readonly mode: Mode;
  readonly end: (fault?: DatabaseFault) => void;
}

interface Lock {
  readonly held: Map<object, Mode>;
  waiting: Waiting[];
}

/** After this time, the server looks whether transactions wait for each other, and ends one of them. */
const deadlockMs = 1_000;

export class Locks {
  readonly #world: World;
  readonly #locks = new Map<string, Lock>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The names of the locks that others hold, with this beginning. */
  ofOthers(holder: object, beginning: string): string[] {
    return [...this.#locks].flatMap(([name, { held }]) =>
      name.startsWith(beginning) && [...held.keys()].some((each) => each !== holder) ? name : [],
    );
  }

  /** Takes a lock until `release`. Rejects if the holder and others wait for each other. */
  take(holder: object, name: string, mode: Mode = 'exclusive'): Promise<void> {
    const lock: Lock = this.#locks.get(name) ?? { held: new Map(), waiting: [] };
    this.#locks.set(name, lock);
    const isNext = lock.held.has(holder) || lock.waiting.length === 0;
    if (isNext && isFree(lock, holder, mode)) {
      lock.held.set(holder, lock.held.get(holder) === 'exclusive' ? 'exclusive' : mode);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const end = (fault?: DatabaseFault) => (fault ? reject(fault) : resolve());
      lock.waiting.push({ holder, mode, end });
      this.#world.after(deadlockMs, () => {
        if (this.#waitsForItself(holder)) this.#giveUp(holder, '40P01');
      });
    });
  }

  /** Releases all locks of a holder. What it waits for fails. */
  release(holder: object): void {
    this.#giveUp(holder, '57P01');
    for (const lock of this.#locks.values()) lock.held.delete(holder);
    this.#goOn();
  }

  #giveUp(holder: object, code: string): void {
    for (const lock of this.#locks.values()) {
      const given = lock.waiting.filter((each) => each.holder === holder);
      lock.waiting = lock.waiting.filter((each) => each.holder !== holder);
      for (const { end } of given) end(new DatabaseFault(code));
    }
    this.#goOn();
  }

  #goOn(): void {
    for (const [name, lock] of this.#locks) {
      for (let next; (next = lock.waiting[0]) && isFree(lock, next.holder, next.mode);) {
        lock.waiting.shift();
        lock.held.set(next.holder, next.mode);
        next.end();
      }
      if (lock.held.size + lock.waiting.length === 0) this.#locks.delete(name);
    }
  }

  #waitsForItself(holder: object): boolean {
    const seen = new Set<object>();
    const open = [holder];
    for (let each; (each = open.pop());) {
      for (const { held, waiting } of this.#locks.values()) {
        const place = waiting.findIndex((one) => one.holder === each);
        if (place === -1) continue;
        const before = [...held.keys(), ...waiting.slice(0, place).map((one) => one.holder)];
        for (const other of before) {
          if (other === each) continue;
          if (other === holder) return true;
          if (!seen.has(other)) open.push(other);
          seen.add(other);
        }
      }
    }
    return false;
  }
}

function isFree({ held }: Lock, holder: object, mode: Mode): boolean {
  for (const [other, has] of held) if (other !== holder && (mode === 'exclusive' || has === 'exclusive')) return false;
  return true;
}

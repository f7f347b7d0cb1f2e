/* Faults of the machine and of carriers, which begin and end while clients send. */

import type { SimCarrier } from './carriers/carrier.ts';
import type { SimStore } from './store.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

const minuteMs = 60_000;
/** Longer than a gateway of a simulation is ever away, and shorter than the large steps of its clock. */
export const clockAheadMaxMs = 600_000;
/** Steps of a machine's clock that a restart does not hold against it (see `clockAheadMaxMs`). */
const stepsMs = [-86_400_000, -3_600_000, -30_000, -3_000, 3_000, 30_000, 3_600_000, 86_400_000];

export const faultKinds = [
  'disk full',
  'stalled commits',
  'clock step',
  'carrier down',
  'pause',
  'drain',
  'lease lost',
  'database down',
  'node cut off',
  'conflict',
  'crash',
  'crash in a start',
] as const;
export type FaultKind = (typeof faultKinds)[number];

interface FaultNeeds {
  readonly world: World;
  readonly store: SimStore;
  readonly carriers: readonly SimCarrier[];
  readonly machines: readonly Machine[];
  readonly began: (kind: FaultKind) => void;
}

export class Faults {
  readonly #needs: FaultNeeds;
  #isOver = false;
  #aheadMs = 0;

  constructor(needs: FaultNeeds) {
    this.#needs = needs;
  }

  /** Draws the faults of a run until this time. */
  draw(untilMs: number): void {
    const { world } = this.#needs;
    const faults = [() => this.#fillDisk(), () => this.#stall(), () => this.#stepClock(), () => this.#stopCarrier()];
    if (this.#needs.store.server) {
      this.#needs.store.faults.noticeMaxMs = world.chance.pick([usualNoticeMs, 500, 5_000]);
      faults.push(
        () => this.#anyMachine.pause(),
        () => this.#anyMachine.cutOff(),
        () => this.#anyMachine.drain(),
        () => this.#stopDatabase(),
      );
    }
    for (const begin of faults) {
      if (!world.chance.happens(0.3)) continue;
      for (let count = world.chance.between(1, 3); count > 0; count--) {
        world.plan(world.chance.between(0, untilMs), () => {
          if (!this.#isOver) begin();
        });
      }
    }
  }

  /** How far steps may have put the clock of a gateway ahead, which trusts small steps after a restart. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** From now on, the machine and the carriers have no faults. */
  end(): void {
    this.#isOver = true;
    const { store, carriers, machines } = this.#needs;
    store.faults.isFull = false;
    store.faults.stallMaxMs = usualStallMs;
    for (const machine of machines) machine.calm();
    store.faults.isDown = false;
    store.server?.cutOff.clear();
    store.faults.noticeMaxMs = usualNoticeMs;
    for (const carrier of carriers) carrier.isDown = false;
  }

  #fillDisk(): void {
    const { faults } = this.#needs.store;
    this.#begin('disk full', 'the disk is full');
    faults.isFull = true;
    this.#later(() => (faults.isFull = false), 'the disk has space again');
  }

  #stall(): void {
    const { faults } = this.#needs.store;
    this.#begin('stalled commits', 'commits stall');
    faults.stallMaxMs = this.#needs.world.chance.pick([1_000, 10_000, 40_000]);
    this.#later(() => (faults.stallMaxMs = usualStallMs), 'commits are fast again');
  }

  #stepClock(): void {
    const ms = this.#needs.world.chance.pick(stepsMs);
    this.#begin('clock step', `the clock steps by ${ms / 1_000} s`);
    this.#anyMachine.step(ms);
    if (ms > 0 && ms < clockAheadMaxMs) this.#aheadMs += ms;
  }

  #stopCarrier(): void {
    const carrier = this.#needs.world.chance.pick(this.#needs.carriers);
    this.#begin('carrier down', `${carrier.name} is down`);
    carrier.goDown();
    this.#later(() => (carrier.isDown = false), `${carrier.name} is up again`);
  }

  get #anyMachine(): Machine {
    return this.#needs.world.chance.pick(this.#needs.machines);
  }

  #stopDatabase(): void {
    const { server, faults } = this.#needs.store;
    this.#begin('database down', 'the database is down');
    faults.isDown = true;
    for (const session of server?.sessions ?? []) session.end();
    this.#later(() => (faults.isDown = false), 'the database is up again');
  }

  #begin(kind: FaultKind, told: string): void {
    this.#needs.began(kind);
    this.#needs.world.tell(told);
  }

  #later(end: () => void, told: string): void {
    const { world } = this.#needs;
    world.soon(100, minuteMs, () => {
      if (this.#isOver) return;
      end();
      world.tell(told);
    });
  }
}

/** The longest time of a commit on a healthy disk. */
export const usualStallMs = 3;
/** The longest time of a NOTIFY on its way. */
export const usualNoticeMs = 5;

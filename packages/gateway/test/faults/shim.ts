import { closeSync, openSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { compileShim } from '../crash/points/steps.ts';

/** The compiled `disk-shim.c`, and the file by which a test tells it what to do while the gateway runs. */
export class Shim implements Disposable {
  readonly environment: Readonly<Record<string, string>>;
  readonly #control: number;

  constructor(folder: string) {
    const control = join(folder, 'control');
    this.environment = { LD_PRELOAD: compileShim({ folder }), FAULT_CONTROL: control };
    this.#control = openSync(control, 'w+');
    this.set({});
  }

  /** Puts the clock forward, lets each sync take so long, or fails each write as on a full disk. */
  set({ clockSeconds = 0, syncMs = 0, isFull = false }): void {
    const numbers = [clockSeconds, syncMs, isFull ? constants.errno.ENOSPC : 0];
    writeSync(this.#control, BigInt64Array.from(numbers, BigInt), 0, undefined, 0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#control);
  }
}

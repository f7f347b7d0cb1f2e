import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/*
 * Stops reading a peer that sends faster than we answer, but not for long: an enquire_link may be waiting.
 */

interface IntakeNeeds {
  /** Whether the session wants to read now. */
  readonly isReading: () => boolean;
  /** The longest time without reading the peer. */
  readonly behindMsMax: () => number;
  /** The peer was not read for this time. */
  readonly behind: () => void;
  /** Everything that the peer sent has been read. */
  readonly caughtUp: () => void;
}

/**
 * Reads or pauses a socket as its session wants. Reports when the peer was not read for too long, and when all of it
 * is read.
 */
export class Intake {
  readonly #socket: Socket;
  readonly #needs: IntakeNeeds;
  /** Since when the peer sends faster than we answer, so that there was always something left to read. */
  #behindAt: number | undefined;
  #reads = 0;
  #looksForEnd = false;

  constructor(socket: Socket, needs: IntakeNeeds) {
    this.#socket = socket;
    this.#needs = needs;
  }

  /** To call after each read. */
  hasRead(): void {
    this.#reads += 1;
    this.#lookForEnd();
  }

  /**
   * Pauses or resumes as the session wants now. A handler that answers at once may have changed that since the last
   * event.
   */
  follow(): void {
    if (this.#needs.isReading()) {
      this.#socket.resume();
      this.#lookForEnd();
      return;
    }
    this.#behindAt ??= performance.now();
    if (this.#isBehind) this.#needs.behind();
    else this.#socket.pause();
  }

  /** To call regularly. */
  tick(): void {
    if (!this.#needs.isReading() && this.#isBehind) this.#needs.behind();
  }

  get #isBehind(): boolean {
    return this.#behindAt !== undefined && performance.now() - this.#behindAt >= this.#needs.behindMsMax();
  }

  /** If a whole turn of the event loop reads nothing, everything that the peer sent has been read. */
  #lookForEnd(): void {
    if (this.#behindAt === undefined || this.#looksForEnd) return;
    this.#looksForEnd = true;
    const reads = this.#reads;
    setImmediate(() =>
      setImmediate(() => {
        this.#looksForEnd = false;
        if (!this.#needs.isReading()) return;
        if (reads !== this.#reads) {
          this.#lookForEnd();
          return;
        }
        this.#behindAt = undefined;
        this.#needs.caughtUp();
      }),
    );
  }
}

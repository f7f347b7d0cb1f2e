import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/*
 * Pauses reading from a peer that sends faster than we answer. The pause is short, because an enquire_link of the peer
 * may be waiting unread.
 */

interface IntakeNeeds {
  /** Whether the session wants to read now. */
  readonly isReading: () => boolean;
  /** The longest pause in reading from the peer. */
  readonly behindMsMax: () => number;
  /** Called when reading was paused for longer than `behindMsMax`. */
  readonly behind: () => void;
  /** Called when everything that the peer sent has been read. */
  readonly caughtUp: () => void;
}

/**
 * Pauses and resumes reading from a socket. Calls `behind` when the pause is too long, and `caughtUp` when everything
 * that the peer sent has been read.
 */
export class Intake {
  readonly #socket: Socket;
  readonly #needs: IntakeNeeds;
  /** Since when the peer has been sending faster than we answer; undefined if everything has been read. */
  #behindAt: number | undefined;
  #reads = 0;
  #looksForEnd = false;

  constructor(socket: Socket, needs: IntakeNeeds) {
    this.#socket = socket;
    this.#needs = needs;
  }

  /** The owner of the socket calls this method after each read. */
  hasRead(): void {
    this.#reads += 1;
    this.#lookForEnd();
  }

  /**
   * Pauses or resumes reading by the current state of the session. The state may have changed since the last action, if
   * a handler answered at once.
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

  /** The owner of the socket calls this method at regular intervals. */
  tick(): void {
    if (!this.#needs.isReading() && this.#isBehind) this.#needs.behind();
  }

  get #isBehind(): boolean {
    return this.#behindAt !== undefined && performance.now() - this.#behindAt >= this.#needs.behindMsMax();
  }

  /**
   * Everything that the peer sent has been read if the socket delivers no data during a full iteration of the event
   * loop.
   */
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

import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

interface IntakeNeeds {
  /** Whether the session wants to hear the peer just now. */
  readonly isReading: () => boolean;
  /** How long the peer is left unread at most. */
  readonly behindMsMax: () => number;
  /** It has been left unread for so long. */
  readonly behind: () => void;
  /** All that it sent has been read. */
  readonly caughtUp: () => void;
}

/** Reads a socket or leaves it unread, as its session wants it, and tells when a peer is behind and when it has caught up. */
export class Intake {
  readonly #socket: Socket;
  readonly #needs: IntakeNeeds;
  /** Since when the peer sends faster than we answer: its octets were never read to their end since. */
  #behindAt: number | undefined;
  #reads = 0;
  #looksForEnd = false;

  constructor(socket: Socket, needs: IntakeNeeds) {
    this.#socket = socket;
    this.#needs = needs;
  }

  /** Octets of the peer were read. */
  hasRead(): void {
    this.#reads += 1;
    this.#lookForEnd();
  }

  /** By what the session wants now, and not when it said so: a handler that answers at once has been here already. */
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

  /** Time has passed. */
  tick(): void {
    if (!this.#needs.isReading() && this.#isBehind) this.#needs.behind();
  }

  get #isBehind(): boolean {
    return this.#behindAt !== undefined && performance.now() - this.#behindAt >= this.#needs.behindMsMax();
  }

  /** A whole turn of the event loop in which the socket brought nothing: all that the peer sent is read. */
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

import type { Socket } from 'node:net';

/* Removes the `100 Continue` answers that some servers send before the answer to a webhook request. */

/** `100 Continue`s that are removed before one answer. The parser gets any more, and refuses them. */
const continuesMax = 10;
/** Octets from the status line to the empty line. */
const headMaxOctets = 4 * 1024;

const statusLine = 'HTTP/1.1 100 ';
const headEnd = '\r\n\r\n';
const nothing = Buffer.alloc(0);

/**
 * Removes each `100 Continue` before an answer from what a socket reads. A client must accept interim answers that it did not ask
 * for (RFC 9110, section 15.2), and some servers send this one to every POST. undici accepts 102 and 103, but closes the
 * connection at a 100. Only for connections without pipelining.
 */
export function withoutContinue<S extends Socket>(socket: S): S {
  const push = socket.push.bind(socket);
  const filter = new ContinueFilter();
  socket.push = (chunk: unknown, encoding) => {
    if (chunk instanceof Uint8Array) {
      const rest = filter.pass(chunk, socket.bytesWritten);
      return rest.length === 0 || push(rest);
    }
    const held = filter.end();
    if (chunk === null && held.length > 0) push(held);
    return push(chunk, encoding);
  };
  return socket;
}

/** Expects an answer to begin after each write. */
class ContinueFilter {
  #written = 0;
  #isBeforeAnswer = false;
  #held: Buffer = nothing;
  #continues = 0;

  /** What the reader gets of a chunk, after the octets held back before. `written` is the number of octets sent so far. */
  pass(chunk: Uint8Array, written: number): Uint8Array {
    if (written !== this.#written) {
      this.#written = written;
      this.#isBeforeAnswer = true;
      this.#continues = 0;
    }
    if (!this.#isBeforeAnswer) return chunk;
    let rest = Buffer.concat([this.end(), chunk]);
    for (;;) {
      const begins = rest.toString('latin1', 0, statusLine.length);
      const end = begins.length < statusLine.length ? -1 : rest.indexOf(headEnd);
      const headOctets = end === -1 ? rest.length : end;
      if (!isContinue(begins) || this.#continues >= continuesMax || headOctets > headMaxOctets) {
        this.#isBeforeAnswer = false;
        return rest;
      }
      if (end === -1) {
        this.#held = rest;
        return nothing;
      }
      this.#continues += 1;
      rest = rest.subarray(end + headEnd.length);
    }
  }

  /** The octets held back. */
  end(): Buffer {
    const held = this.#held;
    this.#held = nothing;
    return held;
  }
}

/** Whether the octets so far can be a 100. The reason is optional, and in practice so is the space before it. */
function isContinue(begins: string): boolean {
  return statusLine.startsWith(begins.replace(/\r$/, ' '));
}

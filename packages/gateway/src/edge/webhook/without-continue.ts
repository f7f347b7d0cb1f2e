import type { Socket } from 'node:net';

/** `100 Continue`s before one answer. Nobody needs one; what sends more without end is given to the parser, which refuses it. */
const continuesMax = 10;
/** From its status line to its empty line. */
const headMaxOctets = 4 * 1024;

const statusLine = 'HTTP/1.1 100 ';
const headEnd = '\r\n\r\n';
const nothing = Buffer.alloc(0);

/**
 * Leaves out of what comes over a connection each `100 Continue` before an answer. A client has to take interim answers that
 * it did not ask for (RFC 9110, section 15.2), and some servers send this one to every POST; undici takes 102 and 103, and
 * closes the connection at a 100. For connections on which a request is written when the answer to the one before is over.
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

/** Finds where an answer begins by what was written before it. */
class ContinueFilter {
  #written = 0;
  #isBeforeAnswer = false;
  #held: Buffer = nothing;
  #continues = 0;

  /** What there is to read of a chunk, and of what was held back before it. `written` is how many octets were sent so far. */
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

  /** What was held back. */
  end(): Buffer {
    const held = this.#held;
    this.#held = nothing;
    return held;
  }
}

/** Whether it is one as far as it goes. A reason is optional, and so is the space before it in practice. */
function isContinue(begins: string): boolean {
  return statusLine.startsWith(begins.replace(/\r$/, ' '));
}

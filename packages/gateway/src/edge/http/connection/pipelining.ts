import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/*
 * Limits what one HTTP connection can have in progress. Node parses all requests of one read (64 KiB) at once and runs each, so
 * a client that pipelines and reads no answers has thousands in progress. Here the octets of a connection reach node's parser one
 * request at a time, and only while little is in progress.
 */

/** Requests of one connection whose answers are not written yet. Clients that pipeline use fewer. */
export const underWayMax = 16;

/** Octets of unwritten answers of one connection. Node keeps them in memory until the client reads. */
export const unwrittenMax = 256 * 1024;

/** The same for all connections together. Beyond it each connection has one request in progress at a time. */
export const unwrittenOfAllMax = 32 * 1024 * 1024;

/** Pipelined requests that start in one turn of the event loop, so that other work has its turn. */
const begunPerTurn = 32;

/** Octets that are parsed at once. From chunks of one octet node makes a buffer and an event each. */
const parsedAtOnce = 4 * 1024;

const headEnd = '\r\n\r\n';
/** Octets of the shortest head: `GET / HTTP/1.1` and two line ends. A body full of line ends is not cut into smaller pieces. */
const headMin = 18;

export interface Pipelining {
  /** Whether the connection has no request in progress. */
  readonly isIdle: (socket: Socket) => boolean;
  /** Stops parsing a connection that no longer speaks HTTP, or has had its last answer. */
  readonly leave: (socket: Socket) => void;
}

/** Limits what each connection has in progress. The server must be made with `unwrittenMax` as its `highWaterMark`. */
export function limitPipelining(server: Server): Pipelining {
  const feeds = new WeakMap<Socket, Feed>();
  const turns = new Turns();
  server.on('connection', (socket: Socket) => feeds.set(socket, new Feed(socket, turns)));
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    feeds.get(request.socket)?.begin(request, response);
  });
  return {
    isIdle: (socket) => feeds.get(socket)?.isIdle ?? true,
    leave: (socket) => feeds.get(socket)?.leave(),
  };
}

/** The queue of connections that wait to have their next request parsed, and the memory that all connections use. */
class Turns {
  /** The sum of what each connection last counted. */
  unwritten = 0;
  #waiting: Feed[] = [];
  #isDue = false;

  add(feed: Feed): void {
    this.#waiting.push(feed);
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#isDue = false;
    const due = this.#waiting.slice(0, begunPerTurn);
    this.#waiting = this.#waiting.slice(begunPerTurn);
    for (const feed of due) feed.take();
    if (this.#waiting.length > 0 && !this.#isDue) {
      this.#isDue = true;
      setImmediate(() => this.#run());
    }
  }
}

/** The octets of one connection on their way to node's parser. */
class Feed {
  readonly #socket: Socket;
  readonly #turns: Turns;
  /** Node's own listener for data: it parses, and runs each request. */
  readonly #parse: (chunk: Buffer) => void;
  /** Octets that are not parsed yet, at most one read: nothing more is read meanwhile. */
  #rest: Buffer | undefined;
  /** In the order of arrival, which is also that of the answers. */
  readonly #underWay: ServerResponse[] = [];
  #newest: IncomingMessage | undefined;
  /** Octets of the newest request's body that are not parsed yet, by its Content-Length. */
  #bodyLeft = 0;
  #unwritten = 0;
  /** Whether this class stopped the reading. Node may resume a socket for its own reasons. */
  #isHeld = false;
  #isWaiting = false;
  #hasLeft = false;

  constructor(socket: Socket, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
    // Node stops and starts reading with these listeners. It removes them when anything else reads.
    const [stop] = socket.listeners('pause');
    const [start] = socket.listeners('resume');
    const [parse] = socket.listeners('data');
    if (!stop || !start || !parse)
      throw new Error('this version of Node is not supported: it reads requests in another way');
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => this.#hear(chunk));
    this.#parse = (chunk) => void parse.call(socket, chunk);
    socket.on('pause', () => void stop.call(socket));
    socket.on('resume', () => {
      if (!this.#isHeld) {
        start.call(socket);
        return;
      }
      socket.pause();
      this.#goOn();
    });
    socket.on('drain', () => this.#goOn());
    // After the last answer, further octets are read and dropped, so that the answer is not reset on its way.
    socket.on('finish', () => this.leave());
    socket.on('close', () => this.leave());
  }

  get isIdle(): boolean {
    return this.#underWay.length === 0;
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#newest = request;
    this.#underWay.push(response);
    response.once('close', () => {
      const at = this.#underWay.indexOf(response);
      if (at !== -1) this.#underWay.splice(at, 1);
      if (this.#isHeld || this.#unwritten > 0) this.#goOn();
    });
  }

  /** Parses the next request when it is this connection's turn. */
  take(): void {
    this.#isWaiting = false;
    const rest = this.#rest;
    if (this.#hasLeft || !rest || !this.#hasRoom()) return;
    this.#rest = undefined;
    this.#feed(rest);
    this.#goOn();
  }

  /** Further octets are read and dropped. */
  leave(): void {
    this.#hasLeft = true;
    this.#rest = undefined;
    this.#underWay.length = 0;
    this.#count(0);
    this.#letGo();
  }

  #hear(chunk: Buffer): void {
    if (this.#hasLeft) return;
    if (this.#rest) this.#rest = Buffer.concat([this.#rest, chunk]);
    else if (this.#hasRoom()) this.#feed(chunk);
    else this.#rest = chunk;
    // A usual client waits for its answer, so there is nothing more to parse and no need to look at the room.
    if (this.#rest || this.#underWay.length > 1) this.#goOn();
  }

  /** Gives the parser at most one request, and keeps the rest. */
  #feed(chunk: Buffer): void {
    if (this.#bodyLeft > 0) {
      this.#feedBody(chunk);
      return;
    }
    const end = chunk.indexOf(headEnd, headMin - headEnd.length) + headEnd.length;
    // A usual read has no second head, so all of it may go.
    const isOne = end < headMin || !chunk.includes(headEnd, end);
    const length = Math.min(isOne ? chunk.length : end, parsedAtOnce);
    const before = this.#newest;
    this.#parse(chunk.subarray(0, length));
    if (this.#newest !== before && this.#newest?.complete === false) {
      // If the end of the head came in two reads, the octets of the body that arrived are in the request's buffer.
      const came = end < headMin ? this.#newest.readableLength : length - end;
      this.#bodyLeft = Math.max(0, Number(this.#newest.headers['content-length'] ?? 0) - came);
    }
    if (length === chunk.length || this.#hasLeft) return;
    const rest = chunk.subarray(length);
    if (this.#bodyLeft > 0) this.#feedBody(rest);
    else this.#rest = rest;
  }

  #feedBody(chunk: Buffer): void {
    const length = Math.min(this.#bodyLeft, chunk.length);
    this.#bodyLeft -= length;
    if (length < chunk.length) this.#rest = chunk.subarray(length);
    this.#parse(chunk.subarray(0, length));
  }

  /** Reads on, waits for its turn, or stops reading, depending on what is left to parse and on the room for it. */
  #goOn(): void {
    if (this.#hasLeft) return;
    const hasRoom = this.#hasRoom();
    if (hasRoom && !this.#rest) {
      this.#letGo();
      return;
    }
    if (!this.#isHeld) {
      this.#isHeld = true;
      this.#socket.pause();
    }
    if (hasRoom && !this.#isWaiting) {
      this.#isWaiting = true;
      this.#turns.add(this);
    }
  }

  #letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.resume();
  }

  #hasRoom(): boolean {
    const { writableNeedDrain, writableLength, writableHighWaterMark } = this.#socket;
    const newest = this.#newest;
    // The body that arrived so far is not read yet.
    if (newest && newest.readableLength >= newest.readableHighWaterMark) return false;
    // A request that has started must be completed, or it would time out.
    if (this.#bodyLeft > 0) return true;
    const count = this.#underWay.length;
    if (count === 0 && writableLength === 0) {
      if (this.#unwritten > 0) this.#count(0);
      return true;
    }
    // The first answer counts what the socket has not written; the others count what they hold back.
    const unwritten = this.#underWay.reduce((sum, { writableLength: octets }) => sum + octets, 0);
    this.#count(count === 0 ? writableLength : unwritten);
    if (count >= underWayMax || writableNeedDrain) return false;
    // Beyond its high-water mark node stops the parser, which then must get nothing more.
    if (this.#unwritten >= Math.min(unwrittenMax, writableHighWaterMark)) return false;
    // A chunked body, whose length is unknown, must be completed, too, whatever memory other connections use.
    const isBegun = newest?.complete === false;
    return count === 0 || isBegun || this.#turns.unwritten < unwrittenOfAllMax;
  }

  #count(octets: number): void {
    this.#turns.unwritten += octets - this.#unwritten;
    this.#unwritten = octets;
  }
}

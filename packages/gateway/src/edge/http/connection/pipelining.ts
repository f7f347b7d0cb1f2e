import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/*
 * Gives Node's parser one request at a time, and only while few requests are in progress. Node would parse and run all
 * requests of one read (64 KiB) at once. A client that pipelines without reading answers would have thousands of them.
 */

/** The most requests of one connection that are not answered yet. Known clients that pipeline have fewer requests in progress. */
export const underWayMax = 16;

/** The most octets of unwritten answers of one connection. Node keeps unwritten answers in memory until the client reads them. */
export const unwrittenMax = 256 * 1024;

/** The most unwritten octets of all connections. Above this, each connection may have only one request in progress. */
export const unwrittenOfAllMax = 32 * 1024 * 1024;

/**
 * The most requests that start in one turn of the event loop, so that other work is not delayed. `octetsPerTurn` limits
 * the octets of their answers, because the kernel needs some 0.1 ms to take so many.
 */
const begunPerTurn = 32;
export const octetsPerTurn = 256 * 1024;
/** Connections wait in queues by the number of their next request in its burst: a first request precedes a tenth. */
const burstMax = 16;
/** One of so many requests is taken from the last queue with requests, so that every connection gets a turn. */
const lastFirstEvery = 8;

/** The most octets that are parsed at once. Low, because Node makes a buffer and an event for chunks of one octet. */
const parsedAtOnce = 4 * 1024;

const headEnd = Buffer.from('\r\n\r\n');
/**
 * The length of `GET / HTTP/1.1` and two line ends. The end of a head is searched only after so many octets. So a body
 * full of line ends is not cut into tiny pieces.
 */
const headMin = 18;

export interface Pipelining {
  /** Whether each request that has arrived completely is answered. */
  readonly isIdle: (socket: Socket) => boolean;
  /** Stops parsing a connection that no longer speaks HTTP, or whose last answer was written. */
  readonly leave: (socket: Socket) => void;
}

/** The server must be made with `unwrittenMax` as its `highWaterMark`. */
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
  unwritten = 0;
  /** The connections that wait, by the number of their next request in its burst. */
  readonly #waiting: readonly Feed[][] = Array.from({ length: burstMax }, () => []);
  #picks = 0;
  /** The octets of answers that were written in this turn of the event loop. */
  #spent = 0;
  /** The connection whose request began last. Its answer is counted before another request begins. */
  #last: Feed | undefined;
  #isDue = false;
  #isRunning = false;
  /** The connections that have had a request in this turn, and wait for the next turn. */
  #again: Feed[] = [];

  add(feed: Feed): void {
    if (this.#isRunning) {
      this.#again.push(feed);
      return;
    }
    this.#waiting[Math.min(feed.burst, burstMax - 1)]?.push(feed);
    this.#schedule();
  }

  get isOver(): boolean {
    this.#spent += this.#last?.countWritten() ?? 0;
    this.#last = undefined;
    return this.#spent >= octetsPerTurn;
  }

  begin(feed: Feed): void {
    this.#last = feed;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    this.#last?.countWritten();
    this.#last = undefined;
    this.#spent = 0;
    this.#isRunning = true;
    for (let begun = 0; begun < begunPerTurn && !this.isOver; begun++) {
      const feed = this.#next();
      if (!feed) break;
      feed.take();
      // In the meantime, answers that need no commit or query are written.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    this.#isRunning = false;
    this.#isDue = false;
    for (const feed of this.#again.splice(0)) this.add(feed);
    if (this.#waiting.some(isFilled)) this.#schedule();
  }

  #next(): Feed | undefined {
    this.#picks += 1;
    const queue = this.#picks % lastFirstEvery === 0 ? this.#waiting.findLast(isFilled) : this.#waiting.find(isFilled);
    return queue?.shift();
  }
}

const isFilled = ({ length }: readonly Feed[]) => length > 0;

class Feed {
  readonly #socket: Socket;
  readonly #turns: Turns;
  /** Node's listener for data, which parses the octets and runs each request. */
  readonly #parse: (chunk: Buffer) => void;
  /** Octets of at most one read that are not parsed yet. The socket is paused until these octets are parsed. */
  #rest: Buffer | undefined;
  /** The responses in progress, in the order in which their requests arrived. */
  readonly #underWay: ServerResponse[] = [];
  #newest: IncomingMessage | undefined;
  /** The octets of the newest request's body that are not parsed yet, from its Content-Length. */
  #bodyLeft = 0;
  #unwritten = 0;
  /** The octets of this connection's answers that `countWritten` has counted. */
  #counted = 0;
  /** The number of requests that have begun since all earlier requests were answered. */
  burst = 0;
  /** Whether this class has paused the socket. If Node resumes the socket then, this class pauses it again. */
  #isHeld = false;
  #isWaiting = false;
  #hasLeft = false;

  constructor(socket: Socket, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
    // Node pauses and resumes reading in these listeners, and removes them when another listener reads from the socket.
    const [stop] = socket.listeners('pause');
    const [start] = socket.listeners('resume');
    const [parse] = socket.listeners('data');
    if (!stop || !start || !parse)
      throw new Error('this version of Node is not supported, because it reads HTTP requests differently: use Node 24');
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
    // After the last answer, further octets are read and discarded. Unread octets would reset the connection before the
    // client has the answer.
    socket.on('finish', () => this.leave());
    socket.on('close', () => this.leave());
  }

  get isIdle(): boolean {
    const { length } = this.#underWay;
    return length === 0 || (length === 1 && this.#newest?.complete === false);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#newest = request;
    this.#underWay.push(response);
    this.burst += 1;
    this.#turns.begin(this);
    response.once('close', () => {
      const at = this.#underWay.indexOf(response);
      if (at !== -1) this.#underWay.splice(at, 1);
      if (this.#isHeld || this.#unwritten > 0) this.#goOn();
    });
  }

  /** `Turns` calls this when it is the turn of this connection. */
  take(): void {
    this.#isWaiting = false;
    const rest = this.#rest;
    if (this.#hasLeft || !rest || !this.#hasRoom()) return;
    this.#rest = undefined;
    this.#feed(rest);
    this.#goOn();
  }

  countWritten(): number {
    const before = this.#counted;
    this.#counted = this.#socket.bytesWritten;
    return this.#counted - before;
  }

  /** Further octets of this connection are read and discarded. */
  leave(): void {
    this.#hasLeft = true;
    this.#rest = undefined;
    this.#underWay.length = 0;
    this.#count(0);
    this.#letGo();
  }

  #hear(chunk: Buffer): void {
    if (this.#hasLeft) return;
    if (!this.#rest && this.#underWay.length === 0) this.burst = 0;
    if (this.#rest) this.#rest = Buffer.concat([this.#rest, chunk]);
    else if (this.#hasRoom() && (this.#bodyLeft > 0 || !this.#turns.isOver)) this.#feed(chunk);
    else this.#rest = chunk;
    // Most clients wait for each answer, so there is usually nothing more to parse, and the check is skipped.
    if (this.#rest || this.#underWay.length > 1) this.#goOn();
  }

  /** Parses at most one request. Keeps the remaining octets for later. */
  #feed(chunk: Buffer): void {
    if (this.#bodyLeft > 0) {
      this.#feedBody(chunk);
      return;
    }
    const end = chunk.indexOf(headEnd, headMin - headEnd.length) + headEnd.length;
    // Most reads have only one request, so all of their octets can be parsed.
    const isOne = end < headMin || !chunk.includes(headEnd, end);
    const length = Math.min(isOne ? chunk.length : end, parsedAtOnce);
    const before = this.#newest;
    this.#parse(length === chunk.length ? chunk : chunk.subarray(0, length));
    if (this.#newest !== before && this.#newest?.complete === false) {
      // If the blank line after the head was split between two reads, the octets of the body are already in the request's buffer.
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
    // The handler has not read the arrived part of the body yet, so no more octets are parsed.
    if (newest && newest.readableLength >= newest.readableHighWaterMark) return false;
    // The parser must get the rest of a request whose head was parsed. Otherwise the request would time out.
    if (this.#bodyLeft > 0) return true;
    const count = this.#underWay.length;
    if (count === 0 && writableLength === 0) {
      if (this.#unwritten > 0) this.#count(0);
      return true;
    }
    // Counts the octets that the socket has not written yet, and the buffered octets of all responses behind the first.
    const unwritten = this.#underWay.reduce((sum, { writableLength: octets }) => sum + octets, 0);
    this.#count(count === 0 ? writableLength : unwritten);
    if (count >= underWayMax || writableNeedDrain) return false;
    // Above the high-water mark Node stops the parser, and the parser must then get no more octets.
    if (this.#unwritten >= Math.min(unwrittenMax, writableHighWaterMark)) return false;
    // A chunked body has no known length, and must be completed even if other connections use much memory.
    const isBegun = newest?.complete === false;
    return count === 0 || isBegun || this.#turns.unwritten < unwrittenOfAllMax;
  }

  #count(octets: number): void {
    this.#turns.unwritten += octets - this.#unwritten;
    this.#unwritten = octets;
  }
}

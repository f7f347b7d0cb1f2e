import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/*
 * Node parses all requests of one read at once, up to 64 KiB of them, and runs each: a client that pipelines and reads no answers has
 * thousands under way. Here a connection's octets reach the parser a request at a time, and only while little is under way.
 */

/** Requests of one connection that are not answered, or whose answers are not written. Clients that pipeline use fewer. */
export const underWayMax = 16;

/** Octets of answers of one connection that are not written: node keeps them in memory until the client reads. */
export const unwrittenMax = 256 * 1024;

/** The same of all connections. Beyond it a connection has one request under way at a time. */
export const unwrittenOfAllMax = 32 * 1024 * 1024;

/** Pipelined requests that are begun in one turn of the event loop, so that everything else has its turn. */
const begunPerTurn = 32;

/** Octets that are parsed at once: of a body in chunks of one octet node makes a buffer and an event of each. */
const parsedAtOnce = 4 * 1024;

const headEnd = '\r\n\r\n';
/** Octets of the shortest head: `GET / HTTP/1.1` and two ends of a line. A body full of such ends is not cut smaller. */
const headMin = 18;

export interface Pipelining {
  /** Whether no request of it is under way. */
  readonly isIdle: (socket: Socket) => boolean;
  /** Has nothing more of it parsed: it is a connection of HTTP no more, or had its last answer. */
  readonly leave: (socket: Socket) => void;
}

/** Bounds what each connection has under way. The server must be made with `unwrittenMax` as its `highWaterMark`. */
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

/** The connections that wait to have their next request parsed, in turn, and what all connections keep in memory. */
class Turns {
  /** Of all connections, as each saw it when it last looked. */
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
    const now = this.#waiting.slice(0, begunPerTurn);
    this.#waiting = this.#waiting.slice(begunPerTurn);
    for (const feed of now) feed.take();
    if (this.#waiting.length > 0 && !this.#isDue) {
      this.#isDue = true;
      setImmediate(() => this.#run());
    }
  }
}

/** What comes on one connection, on its way to node's parser. */
class Feed {
  readonly #socket: Socket;
  readonly #turns: Turns;
  /** Node's own listener for what comes: it parses, and runs each request. */
  readonly #parse: (chunk: Buffer) => void;
  /** Came and was not parsed. Nothing more is read meanwhile, so that it is one read at most. */
  #rest: Buffer | undefined;
  /** In the order of coming, which is that of answering. */
  readonly #underWay: ServerResponse[] = [];
  #newest: IncomingMessage | undefined;
  /** Octets of its body that have yet to be parsed, as its Content-Length says. */
  #bodyLeft = 0;
  #unwritten = 0;
  /** Whether reading stopped here. Node resumes a socket for reasons of its own. */
  #isHeld = false;
  #isWaiting = false;
  #hasLeft = false;

  constructor(socket: Socket, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
    // Node stops and starts reading with these; it takes them away as soon as somebody else reads.
    const [stop] = socket.listeners('pause');
    const [start] = socket.listeners('resume');
    const [parse] = socket.listeners('data');
    if (!stop || !start || !parse) throw new Error('this version of Node reads requests in another way');
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
    // Nothing more is answered then: what still comes is read, so that the last answer is not reset on its way.
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

  /** Has the next request parsed: it is this connection's turn. */
  take(): void {
    this.#isWaiting = false;
    const rest = this.#rest;
    if (this.#hasLeft || !rest || !this.#hasRoom()) return;
    this.#rest = undefined;
    this.#feed(rest);
    this.#goOn();
  }

  /** What comes from now on is read and thrown away. */
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
    // The usual client waits for its answer: there is no more to parse, and whatever comes next is looked at then.
    if (this.#rest || this.#underWay.length > 1) this.#goOn();
  }

  /** Gives the parser one request at most, and keeps what is behind it. */
  #feed(chunk: Buffer): void {
    if (this.#bodyLeft > 0) {
      this.#feedBody(chunk);
      return;
    }
    const end = chunk.indexOf(headEnd, headMin - headEnd.length) + headEnd.length;
    // The usual read has no second head in it: all of it may go.
    const isOne = end < headMin || !chunk.includes(headEnd, end);
    const length = Math.min(isOne ? chunk.length : end, parsedAtOnce);
    const before = this.#newest;
    this.#parse(chunk.subarray(0, length));
    if (this.#newest !== before && this.#newest?.complete === false) {
      // Where the end of the head came in two reads, what came of the body waits to be read.
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

  /** Reads on, waits for its turn, or stops reading, as there is more to parse and room for it. */
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
    // Somebody has yet to read the body that came so far.
    if (newest && newest.readableLength >= newest.readableHighWaterMark) return false;
    // A request that was begun comes to its end, or it would be timed out.
    if (this.#bodyLeft > 0) return true;
    const count = this.#underWay.length;
    if (count === 0 && writableLength === 0) {
      if (this.#unwritten > 0) this.#count(0);
      return true;
    }
    // The answer at the head has what the socket has not written, those behind it what they keep back.
    const unwritten = this.#underWay.reduce((sum, { writableLength: octets }) => sum + octets, 0);
    this.#count(count === 0 ? writableLength : unwritten);
    if (count >= underWayMax || writableNeedDrain) return false;
    // Beyond its high-water mark node stops the parser itself, which then must not be given any more.
    if (this.#unwritten >= Math.min(unwrittenMax, writableHighWaterMark)) return false;
    // A body in chunks comes to its end, too, whatever other connections keep: nobody knows how long it is.
    const isBegun = newest?.complete === false;
    return count === 0 || isBegun || this.#turns.unwritten < unwrittenOfAllMax;
  }

  #count(octets: number): void {
    this.#turns.unwritten += octets - this.#unwritten;
    this.#unwritten = octets;
  }
}

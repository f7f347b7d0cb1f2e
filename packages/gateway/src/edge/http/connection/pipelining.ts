import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PlainAnswer, type Lane, type PlainRequest } from '../lane.ts';
import { NodeParser } from './node-parser.ts';

/*
 * Reads one request at a time, and only while few requests are in progress. Node would parse and run all requests of one
 * read (64 KiB) at once. A client that pipelines without reading answers would have thousands of them. A plain request
 * goes to the lane, and any other to Node's parser, on the same connection.
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

export interface Pipelining {
  /** Whether each request that has arrived completely is answered. */
  readonly isIdle: (socket: Socket) => boolean;
  /** Stops parsing a connection that no longer speaks HTTP, or whose last answer was written. */
  readonly leave: (socket: Socket) => void;
}

/** The server must be made with `unwrittenMax` as its `highWaterMark`. */
export function limitPipelining(server: Server, lane: Lane): Pipelining {
  const feeds = new Map<Socket, Feed>();
  const turns = new Turns();
  server.on('connection', (socket: Socket) => {
    feeds.set(socket, new Feed(socket, turns, lane));
    socket.once('close', () => feeds.delete(socket));
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    feeds.get(request.socket)?.begin(request, response);
  });
  // Node does not know of the requests in the lane. Without these two functions it would end their connections.
  server.on('timeout', (socket) => feeds.get(socket)?.timeOut());
  server.closeIdleConnections = () => {
    for (const feed of feeds.values()) feed.endIfIdle();
  };
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
  readonly #lane: Lane;
  readonly #parser: NodeParser;
  /** Node's listener for the end of the client's octets, which ends the connection after the answers of node:http. */
  readonly #end: () => void;
  /** Octets of at most one read that are not parsed yet. The socket is paused until these octets are parsed. */
  #rest: Buffer | undefined;
  /** The responses in progress, in the order in which their requests arrived. */
  readonly #underWay: (ServerResponse | PlainAnswer)[] = [];
  #unwritten = 0;
  /** The octets of this connection's answers that `countWritten` has counted. */
  #counted = 0;
  /** The number of requests that have begun since all earlier requests were answered. */
  burst = 0;
  /** Whether this class has paused the socket. If Node resumes the socket then, this class pauses it again. */
  #isHeld = false;
  #isWaiting = false;
  #hasLeft = false;
  /** Whether the next request is for Node's parser, and waits until the lane has answered all earlier requests. */
  #waitsForLane = false;
  /** Whether the newest request ends the connection. Octets after it are no request (RFC 9112 section 9.6). */
  #isLast = false;
  /** Whether the client has ended its half of the connection, and Node does not know it yet. */
  #hasEnded = false;

  constructor(socket: Socket, turns: Turns, lane: Lane) {
    this.#socket = socket;
    this.#turns = turns;
    this.#lane = lane;
    // Node reads, pauses and resumes in these listeners, and removes them when another listener reads from the socket.
    const [stop] = socket.listeners('pause');
    const [start] = socket.listeners('resume');
    const [parse] = socket.listeners('data');
    const ends = socket.listeners('end');
    const end = ends.pop();
    if (!stop || !start || !parse || !end)
      throw new Error('this version of Node is not supported, because it reads HTTP requests differently: use Node 24');
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => this.#hear(chunk));
    this.#parser = new NodeParser((octets) => void parse.call(socket, octets));
    this.#end = () => void end.call(socket);
    socket.removeAllListeners('end');
    socket.on('end', () => {
      for (const each of ends) each.call(socket);
      this.#hasEnded = true;
      this.#endIfRead();
    });
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
    return length === 0 || (length === 1 && this.#parser.newest?.complete === false);
  }

  /** Whether requests of this connection are in the lane. Then none is in node:http, which would not keep their order. */
  get #isInLane(): boolean {
    return this.#underWay[0] instanceof PlainAnswer;
  }

  /** Ends the connection if there is nothing to answer, and no request has arrived in part. */
  endIfIdle(): void {
    if (this.#underWay.length === 0 && this.#rest === undefined && !this.#parser.hasPart) this.#socket.destroy();
  }

  /** The socket was silent for its time, which begins again with the answer from the lane. */
  timeOut(): void {
    if (!this.#isInLane) this.#socket.destroy();
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#parser.begin(request);
    if (!response.shouldKeepAlive) this.#isLast = true;
    this.#push(response);
    response.once('close', () => {
      const at = this.#underWay.indexOf(response);
      if (at !== -1) this.#underWay.splice(at, 1);
      if (this.#isHeld || this.#unwritten > 0) this.#goOn();
    });
  }

  #push(answer: ServerResponse | PlainAnswer): void {
    this.#underWay.push(answer);
    this.burst += 1;
    this.#turns.begin(this);
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
    this.#waitsForLane = false;
    this.#count(0);
    this.#letGo();
  }

  #hear(chunk: Buffer): void {
    if (this.#hasLeft) return;
    if (!this.#rest && this.#underWay.length === 0) this.burst = 0;
    if (this.#rest) this.#rest = Buffer.concat([this.#rest, chunk]);
    else if (this.#hasRoom() && (this.#parser.isInBody || !this.#turns.isOver)) this.#feed(chunk);
    else this.#rest = chunk;
    // Most clients wait for each answer, so there is usually nothing more to parse, and the check is skipped.
    if (this.#rest || this.#underWay.length > 1) this.#goOn();
  }

  /** Reads at most one request. Keeps the remaining octets for later. */
  #feed(chunk: Buffer): void {
    const isInLane = this.#isInLane;
    const mayBePlain = this.#parser.isBetween && (isInLane || this.#underWay.length === 0) && this.#socket.writable;
    const plain = mayBePlain ? this.#lane.read(chunk) : undefined;
    if (plain) {
      this.#rest = plain.length < chunk.length ? chunk.subarray(plain.length) : undefined;
      this.#run(plain);
    } else if (isInLane) {
      this.#rest = chunk;
      this.#waitsForLane = true;
    } else if (!this.#isLast || this.#parser.newest?.complete === false) {
      const rest = this.#parser.feed(chunk);
      if (!this.#hasLeft) this.#rest = rest;
    }
  }

  #run(request: PlainRequest): void {
    const answer = new PlainAnswer(this.#lane, () => this.#writePlain());
    this.#push(answer);
    this.#lane.run(request, answer, this.#socket);
  }

  /** Writes the answers of the lane, in the order of their requests. */
  #writePlain(): void {
    for (let [first] = this.#underWay; first instanceof PlainAnswer && first.isEnded; [first] = this.#underWay) {
      this.#underWay.shift();
      this.#socket.write(first.text);
    }
    if (this.#hasLeft) return;
    if (this.#underWay.length === 0) this.#waitsForLane = false;
    if (this.#isHeld || this.#unwritten > 0) this.#goOn();
    this.#endIfRead();
  }

  #goOn(): void {
    this.#endIfRead();
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

  /** Node may end the connection only when it knows of all requests: it closes it after the last answer that it knows. */
  #endIfRead(): void {
    if (!this.#hasEnded || this.#hasLeft || this.#rest || this.#isInLane) return;
    this.#hasEnded = false;
    this.#end();
  }

  #letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.resume();
  }

  #hasRoom(): boolean {
    const { writableNeedDrain, writableLength, writableHighWaterMark } = this.#socket;
    const { newest, isInBody } = this.#parser;
    // The handler has not read the arrived part of the body yet, so no more octets are parsed.
    if (newest && newest.readableLength >= newest.readableHighWaterMark) return false;
    if (this.#waitsForLane) return false;
    // The parser must get the rest of a request whose head was parsed. Otherwise the request would time out.
    if (isInBody) return true;
    const count = this.#underWay.length;
    if (count === 0 && writableLength === 0) {
      if (this.#unwritten > 0) this.#count(0);
      return true;
    }
    // Counts the octets that the socket has not written yet, and the buffered octets of all responses. The first response
    // of node:http counts those of the socket, too.
    const unwritten = this.#underWay.reduce((sum, { writableLength: octets }) => sum + octets, 0);
    this.#count(count === 0 || this.#isInLane ? unwritten + writableLength : unwritten);
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

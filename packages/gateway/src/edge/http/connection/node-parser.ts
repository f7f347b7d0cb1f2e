import type { IncomingMessage } from 'node:http';

/* Gives Node's parser the octets of one request at a time, and knows where in a request the parser is. */

/** The most octets that are parsed at once. Low, because Node makes a buffer and an event for chunks of one octet. */
const parsedAtOnce = 4 * 1024;

export const headEnd = Buffer.from('\r\n\r\n');
/**
 * The length of `GET / HTTP/1.1` and two line ends. The end of a head is searched only after so many octets. So a body
 * full of line ends is not cut into tiny pieces.
 */
const headMin = 18;

const nothing: Buffer = Buffer.alloc(0);

export class NodeParser {
  readonly #parse: (octets: Buffer) => void;
  #newest: IncomingMessage | undefined;
  /** The octets of the newest request's body that are not parsed yet, from its Content-Length. */
  #bodyLeft = 0;
  /**
   * Where the parser is, unless it is within a body of a known length. Only the parser knows its place after a chunked
   * body, and after octets that are no request.
   */
  #place: 'between requests' | 'within a head' | 'unknown' = 'between requests';
  /** The last octets of an incomplete head: the blank line after it may be split between two reads. */
  #headTail = nothing;

  constructor(parse: (octets: Buffer) => void) {
    this.#parse = parse;
  }

  get newest(): IncomingMessage | undefined {
    return this.#newest;
  }

  get isInBody(): boolean {
    return this.#bodyLeft > 0;
  }

  /** Whether the next octets begin a request for sure, which is not the first one. */
  get isBetween(): boolean {
    return this.#newest !== undefined && this.#bodyLeft === 0 && this.#place === 'between requests';
  }

  /** Whether the parser has got a part of a request, as far as that is known. */
  get hasPart(): boolean {
    return this.#newest === undefined || this.#bodyLeft > 0 || this.#place === 'within a head';
  }

  /** Call when the parser has completed the head of a request. */
  begin(request: IncomingMessage): void {
    this.#newest = request;
  }

  /** Parses octets of at most one request. Returns the octets that are left. */
  feed(octets: Buffer): Buffer | undefined {
    const rest = this.#bodyLeft > 0 ? octets : this.#feedHead(octets);
    return rest && this.#bodyLeft > 0 ? this.#feedBody(rest) : rest;
  }

  /** Parses a head, or a piece of it, or a piece of a chunked body. */
  #feedHead(octets: Buffer): Buffer | undefined {
    const isWithin = this.#place === 'within a head';
    const before = this.#headTail.length;
    const searched = before > 0 ? Buffer.concat([this.#headTail, octets]) : octets;
    const found = searched.indexOf(headEnd, isWithin ? 0 : headMin - headEnd.length);
    const end = found === -1 ? octets.length : found + headEnd.length - before;
    const length = Math.min(end, parsedAtOnce);
    const earlier = this.#newest;
    this.#parse(octets.subarray(0, length));
    const isWhole = found !== -1 && length === end;
    if (this.#newest && this.#newest !== earlier) this.#beginBody(this.#newest, isWhole);
    else if (isWhole) this.#place = 'unknown';
    else if (this.#place === 'between requests') this.#place = 'within a head';
    this.#headTail =
      this.#place === 'within a head' ? searched.subarray(0, before + length).subarray(1 - headEnd.length) : nothing;
    return length < octets.length ? octets.subarray(length) : undefined;
  }

  #beginBody({ headers, readableLength }: IncomingMessage, isWhole: boolean): void {
    this.#bodyLeft = Math.max(0, Number(headers['content-length'] ?? 0) - readableLength);
    const isKnown = isWhole && readableLength === 0 && headers['transfer-encoding'] === undefined;
    this.#place = isKnown && this.#place !== 'unknown' ? 'between requests' : 'unknown';
  }

  #feedBody(octets: Buffer): Buffer | undefined {
    const length = Math.min(this.#bodyLeft, octets.length);
    this.#bodyLeft -= length;
    this.#parse(octets.subarray(0, length));
    return length < octets.length ? octets.subarray(length) : undefined;
  }
}

/* A document that many clients request, such as a console's file or an OpenAPI document. It is compressed only once. */

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** This quality is nearly the best, and fast: compressing the largest document takes some 10 ms, once. */
const quality = 5;

const encodings = {
  br: (octets: Buffer) => brotliCompressSync(octets, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: (octets: Buffer) => gzipSync(octets, { level: quality }),
} as const;
type Encoding = keyof typeof encodings;
const preferred: readonly Encoding[] = ['br', 'gzip'];

export class Document {
  readonly #make: () => Buffer;
  readonly #cached: string;
  readonly #made: { [E in Encoding | 'identity']?: Buffer } = {};

  /** The first request makes the octets. `cached` is the header Cache-Control: how long a client may keep them. */
  constructor(make: () => Buffer, cached: string) {
    this.#make = make;
    this.#cached = cached;
  }

  /** The document in an encoding that the client's header Accept-Encoding allows. */
  in(accepted: string | readonly string[] | undefined): {
    readonly body: Buffer;
    readonly headers: Readonly<Record<string, string>>;
  } {
    const headers = { 'Cache-Control': this.#cached, Vary: 'Accept-Encoding' };
    const words = new Set(
      String(accepted ?? '')
        .toLowerCase()
        .split(',')
        .map((each) => each.trim())
        // A weight of 0 refuses an encoding (RFC 9110, section 12.5.3).
        .filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each))
        .map((each) => each.split(';')[0]?.trim()),
    );
    const encoding = preferred.find((each) => words.has(each));
    const octets = (this.#made.identity ??= this.#make());
    if (!encoding) return { body: octets, headers };
    const body = (this.#made[encoding] ??= encodings[encoding](octets));
    return { body, headers: { ...headers, 'Content-Encoding': encoding } };
  }
}

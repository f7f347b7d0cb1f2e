/* Reads plain answers of webhooks, as nearly all receivers send them, without node:http. Decision 6 says why. */

import type { WebhookAnswer } from './exchange.ts';

/** The most octets of a plain answer's headers, and the most digits of its length. */
const headMax = 4 * 1024;
const lengthMax = 4;

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Every octet of a plain head is visible ASCII, or a space within a value, so that its lines and values are what any
 * reader of HTTP finds.
 */
const plainHead = /^HTTP\/1\.1 ([2-5]\d\d) [ -~]*\r\n((?:[A-Za-z-]+: ?[!-~](?:[ -~]*[!-~])?\r\n)*)$/;

interface PlainAnswer {
  readonly answer: Extract<WebhookAnswer, { kind: 'answered' }>;
  /** The value of the header Keep-Alive. */
  readonly keepAlive: string | undefined;
}

/**
 * Reads octets that are exactly one whole answer, after which the connection stays open. Undefined if they are not, or
 * if that is not certain: then Node's parser must read them.
 */
export function readPlainAnswer(octets: Buffer): PlainAnswer | undefined {
  const end = octets.indexOf(headEnd);
  if (end === -1 || end > headMax) return undefined;
  const [, status, lines] = plainHead.exec(octets.toString('latin1', 0, end + 2)) ?? [];
  if (status === undefined || lines === undefined) return undefined;
  const headers = readHeaders(lines);
  const length = headers?.get('content-length') ?? (status === '204' ? '0' : '');
  const isWhole = /^\d+$/.test(length) && length.length <= lengthMax && octets.length === end + 4 + Number(length);
  const hasBody = status !== '204' && status !== '304';
  if (!headers || !isWhole || !(hasBody || length === '0')) return undefined;
  const answer = { kind: 'answered', status: Number(status), retryAfter: headers.get('retry-after') } as const;
  return { answer, keepAlive: headers.get('keep-alive') };
}

/** Headers that change how an answer is read. Undefined for a form of the body or a connection that is not plain. */
function readHeaders(lines: string): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  for (let at = 0; at < lines.length;) {
    const colon = lines.indexOf(':', at);
    const end = lines.indexOf('\r\n', colon);
    const name = lines.slice(at, colon).toLowerCase();
    if (read.has(name)) {
      if (headers.has(name)) return undefined;
      headers.set(name, lines.slice(colon + 1, end).trim());
    }
    at = end + 2;
  }
  const connection = headers.get('connection') ?? 'keep-alive';
  return headers.has('transfer-encoding') || headers.has('upgrade') || connection.toLowerCase() !== 'keep-alive'
    ? undefined
    : headers;
}

const read = new Set(['connection', 'content-length', 'keep-alive', 'retry-after', 'transfer-encoding', 'upgrade']);

import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Rejection } from '../../core/base/rejection.ts';
import { httpHeaders, httpStatus, problemBody } from '../refusals.ts';
import { PlainAnswer } from './lane.ts';
import type { Exchange, Success } from './routes.ts';

/* Writes the answers to HTTP requests, with the headers that every answer has. */

const json = 'application/json; charset=utf-8';
/** The media type application/problem+json has no charset parameter (RFC 9457 section 6.1). */
const problemJson = 'application/problem+json';

/** Returns a promise if the answer is a stream: it resolves when the stream has ended. */
export function writeSuccess(exchange: Exchange, success: Success): Promise<void> | undefined {
  const { response } = exchange;
  if (typeof success === 'string') {
    response.writeHead(200, headersOf(json, exchange, success));
    end(exchange, success);
    return undefined;
  }
  const { body, status = 200 } = success;
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
  const headers = headersOf(json, exchange, isWhole ? body : '');
  if (status === 204) remove(headers, 'Content-Type');
  if (status === 204 || !isWhole) remove(headers, 'Content-Length');
  for (const [name, value] of Object.entries(success.headers)) {
    const at = headers.indexOf(name);
    headers.splice(at === -1 ? headers.length : at, 2, name, value);
  }
  response.writeHead(status, headers);
  if (!isWhole) return stream(exchange, body, success.closed);
  end(exchange, body);
  return undefined;
}

export function writeRefusal(exchange: Exchange, rejection: Rejection): void {
  const body = problemBody(rejection, exchange.requestId);
  exchange.response.writeHead(httpStatus(rejection), [
    ...headersOf(problemJson, exchange, body),
    ...httpHeaders(rejection),
  ]);
  end(exchange, body);
}

/** The answer to octets that could not be read as a request. It ends the connection. */
export function refusalText(rejection: Rejection, of: Answered): string {
  const status = httpStatus(rejection);
  const body = problemBody(rejection, of.requestId);
  const headers = [...headersOf(problemJson, of, body), ...httpHeaders(rejection), 'Connection', 'close'];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nDate: ${new Date().toUTCString()}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}\r\n${body}`;
}

/** The part of an exchange that the usual headers need. */
type Answered = Pick<Exchange, 'connection' | 'requestId'>;

function headersOf(type: string, { connection, requestId }: Answered, body: string | Buffer): string[] {
  const headers = [
    'Content-Type',
    type,
    'Cache-Control',
    'no-store',
    'X-Request-Id',
    requestId,
    'Content-Length',
    String(Buffer.byteLength(body)),
  ];
  if (connection.headers.length > 0) headers.push(...connection.headers);
  return headers;
}

function remove(headers: string[], name: string): void {
  headers.splice(headers.indexOf(name), 2);
}

function end({ request, response, connection }: Exchange, body: string | Buffer): void {
  connection.noteAnswered(request);
  response.end(body);
}

/** If the caller goes away or the stream fails, the connection ends early. So the caller sees that texts are missing. */
async function stream(
  { request, response, connection }: Exchange,
  texts: AsyncIterable<string>,
  closed: (() => void) | undefined,
): Promise<void> {
  if (response instanceof PlainAnswer) throw new Error('the answer to a plain request cannot be a stream');
  if (closed) response.once('close', closed);
  connection.noteAnswered(request);
  try {
    await pipeline(Readable.from(texts), response);
  } catch {
    // `pipeline` has closed the connection.
  }
}

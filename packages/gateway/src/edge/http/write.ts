import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Rejection } from '../../core/base/rejection.ts';
import { httpHeaders, httpStatus, problemBody } from '../refusals.ts';
import type { Connection } from './connection/connections.ts';
import type { Success } from '../clients/morsel/successes.ts';

/* Writes the answers to HTTP requests, with the headers that every answer has. */

export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly requestId: string;
  /** The time when the request's head had arrived, on the monotonic clock. */
  readonly from: number;
}

const json = 'application/json; charset=utf-8';
/** The media type application/problem+json has no charset parameter (RFC 9457 section 6.1). */
const problemJson = 'application/problem+json';

export function writeSuccess(exchange: HttpExchange, success: Success): void {
  const body = typeof success === 'string' ? success : success.body;
  const headers = headersOf(json, exchange.requestId, body);
  if (typeof success !== 'string') {
    for (const [name, value] of Object.entries(success.headers)) {
      const at = headers.indexOf(name);
      headers.splice(at === -1 ? headers.length : at, 2, name, value);
    }
  }
  exchange.response.writeHead(200, headers);
  end(exchange, body);
}

export function writeRefusal(exchange: HttpExchange, rejection: Rejection): void {
  const body = problemBody(rejection, exchange.requestId);
  exchange.response.writeHead(httpStatus(rejection), [
    ...headersOf(problemJson, exchange.requestId, body),
    ...httpHeaders(rejection),
  ]);
  end(exchange, body);
}

/** The answer to octets that could not be read as a request. It ends the connection. */
export function refusalText(rejection: Rejection, requestId: string): string {
  const status = httpStatus(rejection);
  const body = problemBody(rejection, requestId);
  const headers = [...headersOf(problemJson, requestId, body), ...httpHeaders(rejection), 'Connection', 'close'];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nDate: ${new Date().toUTCString()}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}\r\n${body}`;
}

function headersOf(type: string, requestId: string, body: string | Buffer): string[] {
  return [
    'Content-Type',
    type,
    'Cache-Control',
    'no-store',
    'X-Request-Id',
    requestId,
    'Content-Length',
    String(Buffer.byteLength(body)),
  ];
}

function end({ request, response, connection }: HttpExchange, body: string | Buffer): void {
  connection.noteAnswered(request);
  response.end(body);
}

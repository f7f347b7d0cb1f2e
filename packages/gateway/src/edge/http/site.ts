import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Rejection } from '../../core/base/rejection.ts';
import { refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { Clock } from '../../runtime/clock.ts';
import { describeBug } from '../../runtime/bug.ts';
import { RefusalLog } from '../refusal-log.ts';
import { clientAddress } from './connection/client-address.ts';
import { Connections } from './connection/connections.ts';
import type { ClientApi } from './client-api.ts';
import type { Incoming } from './request/fields.ts';
import type { Operation } from './operations.ts';
import { bodyTooLarge, rejectionOf } from './request/parser-errors.ts';
import type { ParserError } from './request/parser-errors.ts';
import { requestIds } from './request-ids.ts';
import type { Success } from './successes.ts';
import { refusalText, writeRefusal, writeSuccess } from './write.ts';

/* Answers complete requests, refused requests, and octets that are not an HTTP request. */

/** The log of an HTTP listener. */
export interface HttpLog {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** For refused requests. */
  info?(fields: object, message: string): void;
  isLevelEnabled?(level: string): boolean;
}

export interface SiteOptions {
  readonly api: ClientApi;
  readonly clock: Clock;
  readonly log?: HttpLog | undefined;
  /** The proxies whose X-Forwarded-For header the gateway trusts. */
  readonly trustedProxies?: readonly AddressRange[] | undefined;
}

/** Answers the requests of one HTTP listener. */
export class Site {
  readonly nextRequestId = requestIds();
  readonly #connections = new Connections();
  readonly #api: ClientApi;
  readonly #log: HttpLog | undefined;
  readonly #refusals: RefusalLog;
  readonly #trustedProxies: readonly AddressRange[];

  constructor({ api, clock, log, trustedProxies }: SiteOptions) {
    this.#api = api;
    this.#log = log;
    this.#refusals = new RefusalLog(log, clock);
    this.#trustedProxies = trustedProxies ?? [];
  }

  /** Runs a complete request and answers it. Never rejects. */
  async serve(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack();
    const { raw } = request;
    const connection = this.#connections.of(raw.socket);
    if (!connection.begin()) return;
    const body = Buffer.isBuffer(request.body) ? request.body : undefined;
    const address = clientAddress(raw, connection.address, this.#trustedProxies);
    const incoming: Incoming = { raw, body, address };
    const result = await this.#run(operation, incoming, request.id);
    const exchange = { request: raw, response: reply.raw, connection, requestId: request.id };
    if (result.ok) writeSuccess(exchange, result.value);
    else {
      const { account } = incoming;
      const path = request.routeOptions.url;
      // Refusals of `/ready` are not logged: probes call it every second, and the log says elsewhere why the gateway is not
      // ready.
      if (path !== '/ready') this.#refusals.note(result.error, { requestId: request.id, account, path });
      writeRefusal(exchange, result.error);
    }
    connection.finish(reply.raw);
  }

  /** Refuses a request before its operation runs. */
  refuse(request: FastifyRequest, reply: FastifyReply, rejection: Rejection): void {
    reply.hijack();
    const path = request.is404 ? undefined : request.routeOptions.url;
    this.#refuse({ request: request.raw, response: reply.raw }, { rejection, requestId: request.id, path });
  }

  /** Refuses a request before it reaches the router. */
  refuseUnrouted(request: IncomingMessage, response: ServerResponse, rejection: Rejection): void {
    this.#refuse({ request, response }, { rejection, requestId: this.nextRequestId() });
  }

  /** Refuses octets that are not an HTTP request, and requests that do not arrive completely. */
  refuseBytes(error: ParserError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.partFrom(socket, rejectionOf(error));
  }

  /** Sends a refusal as the last answer, and ends the connection. */
  partFrom(socket: Socket, rejection: Rejection): void {
    const connection = this.#connections.of(socket);
    const requestId = this.nextRequestId();
    const answer = refusalText(rejection, requestId);
    this.#refusals.note(rejection, { requestId });
    // Complete requests in the same chunk begin in the next turn of the event loop, when their streams have ended. Complete
    // requests in the same chunk must be answered before the refusal.
    setImmediate(() => connection.part(answer));
  }

  /** Refuses a request whose body cannot be read. */
  refuseBody(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    // The client has closed the connection, or the last answer on the connection was already written.
    if (request.raw.destroyed || reply.raw.writableEnded) {
      reply.hijack();
      return;
    }
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') this.refuse(request, reply, bodyTooLarge);
    else if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') this.refuse(request, reply, wrongLength);
    else {
      this.#reportBug(error, request.id);
      this.refuse(request, reply, { code: 'internal_error' });
    }
  }

  async #run(operation: Operation, incoming: Incoming, requestId: string): Promise<Result<Success, Rejection>> {
    try {
      return await operation(this.#api, incoming);
    } catch (error) {
      this.#reportBug(error, requestId);
      return refused({ code: 'internal_error' });
    }
  }

  #refuse(
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    { rejection, requestId, path }: { rejection: Rejection; requestId: string; path?: string | undefined },
  ): void {
    this.#refusals.note(rejection, { requestId, path });
    writeRefusal({ request, response, connection: this.#connections.of(request.socket), requestId }, rejection);
  }

  #reportBug(error: unknown, requestId: string): void {
    this.#log?.error({ requestId, ...describeBug(error) }, 'internal error while answering an HTTP request');
  }
}

const wrongLength: Rejection = {
  code: 'malformed_request',
  detail: 'the length of the body differs from the Content-Length header',
};

import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';
import type { Rejection } from '../../core/base/rejection.ts';
import { httpHeaders, httpStatus, problemBody } from '../refusals.ts';

/* Writes the answers of the operator's API. */

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export const jsonType = 'application/json; charset=utf-8';

export function succeed(reply: FastifyReply, body: string): FastifyReply {
  return write(reply.code(200).type(jsonType), body);
}

export function refuse(reply: FastifyReply, rejection: Rejection): FastifyReply {
  const headers = httpHeaders(rejection);
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? '', headers[at + 1]);
  reply.code(httpStatus(rejection)).type('application/problem+json; charset=utf-8');
  return write(reply, problemBody(rejection, reply.request.id));
}

export function write(reply: FastifyReply, body: string | Buffer | Readable): FastifyReply {
  return reply.header('Cache-Control', 'no-store').header('X-Request-Id', reply.request.id).send(body);
}

/** Refuses all HTTP methods that a path does not serve. */
export function refuseOthers(app: FastifyInstance, url: string, served: readonly HTTPMethods[]): void {
  const method = methods.filter((each) => !served.includes(each));
  const rejection: Rejection = { code: 'method_not_allowed', allow: served.join(', ') };
  app.route({ method, url, handler: (_request, reply) => refuse(reply, rejection) });
}

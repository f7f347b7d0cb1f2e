import type { FastifyInstance } from 'fastify';
import { adminBase } from '@morsel/api/admin/client.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { adminOpenApi } from '@morsel/api/admin/openapi.ts';
import { paths } from '@morsel/api/paths.ts';
import { version } from '../../runtime/version.ts';
import { Document } from '../document.ts';
import { probes, type ReadyNeeds } from '../clients/morsel/routes.ts';
import type { Scrapes } from '../metrics/scrape.ts';
import { jsonType, refuse, refuseOthers, succeed, write } from './answers.ts';

/* Serves programs the paths of the operator's listener that are no operations: probes, OpenAPI document and metrics. */

/** Load balancers and supervisors request these paths without a key, and with any Host. */
export function addProbes(app: FastifyInstance, needs: ReadyNeeds): void {
  for (const { path, methods: served } of [paths.health, paths.ready]) {
    app.route({
      method: [...served],
      url: path,
      config: { isProbe: true },
      handler: (request, reply) => {
        const answer = path === '/health' ? probes.health() : probes.ready(needs, request.url);
        return answer.ok ? succeed(reply, answer.value) : refuse(reply, answer.error);
      },
    });
    refuseOthers(app, path, served);
  }
}

/** Every role may read the OpenAPI document. The document is made once, which takes some 100 ms. */
export function addOpenApi(app: FastifyInstance): void {
  const url = `${adminBase}/openapi.json`;
  let made: Document | undefined;
  refuseOthers(app, url, ['GET']);
  app.get(url, (request, reply) => {
    made ??= new Document(Buffer.from(writeJson(adminOpenApi(version))), 'no-store');
    const { body, headers } = made.in(request.headers['accept-encoding']);
    return write(reply.headers(headers).type(jsonType), body);
  });
}

export const metricsPath = '/metrics';

/** Every role may read the metrics. */
export function addMetrics(app: FastifyInstance, scrapes: Pick<Scrapes, 'scrape'>): void {
  app.get(metricsPath, async (_request, reply) => {
    const { contentType, text } = await scrapes.scrape();
    return write(reply.code(200).type(contentType), text);
  });
}

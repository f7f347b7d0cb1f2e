/*
 * Serves the files of the console, which `npm ci` builds. The files are read once. Any other path of a page gets the
 * console's page, which chooses its view by the path.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Document } from '../../document.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The browser loads scripts and styles only from this gateway, so no text of a client or a phone becomes a script. */
const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
};

interface File {
  readonly type: string;
  readonly document: Document;
}

const page = 'index.html';
/** The names of these files have a hash of their content. */
const hashed = /^assets\//;

/** Adds the paths of the console. If the console was not built, no path is added. */
export function addConsole(app: FastifyInstance): void {
  const files = readFiles();
  const index = files.get(page);
  if (!index) return;
  const open = { config: { isOpen: true } };
  for (const [name, file] of files)
    if (file !== index) app.get(`/${name}`, open, (request, reply) => send(request, reply, file));
  for (const path of ['/', '/*']) {
    app.get(path, open, (request, reply) =>
      /\btext\/html\b/.test(request.headers.accept ?? '') ? send(request, reply, index) : reply.callNotFound(),
    );
  }
}

function send({ headers: asked }: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  const { body, headers: more } = file.document.in(asked['accept-encoding']);
  return reply
    .headers({ ...headers, ...more })
    .type(file.type)
    .send(body);
}

function readFiles(): ReadonlyMap<string, File> {
  const folder = fileURLToPath(new URL('../../../../../console/dist', import.meta.url));
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return new Map(
    entries.map(({ parentPath, name: file }) => {
      const path = join(parentPath, file);
      const name = relative(folder, path);
      const cached =
        name === page ? 'no-store' : hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
      const type = types[extname(file)] ?? 'application/octet-stream';
      return [name, { type, document: new Document(readFileSync(path), cached) }];
    }),
  );
}

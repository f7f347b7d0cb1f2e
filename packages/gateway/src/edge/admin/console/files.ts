/*
 * Serves the files of the console, which `npm ci` builds. The files are read once. Any other path of a page gets the
 * console's page, which chooses its view by the path.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ok, refused } from '@morsel/api/values/result.ts';
import { Document } from '../../http/document.ts';
import type { Admit, Exchange, HttpRoute, Success } from '../../http/routes.ts';
import { notFound } from '../../http/site.ts';

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

/**
 * The routes of the console's files, and the page that answers all other paths. Without built files there is neither.
 * The routes need no operator key.
 */
export function consoleRoutes(admit: Admit): { files: readonly HttpRoute[]; page?: HttpRoute } {
  const { [page]: index, ...files } = Object.fromEntries(readFiles());
  if (!index) return { files: [] };
  const routeOf = (path: string, run: HttpRoute['run']): HttpRoute => ({ path, methods: ['GET'], admit, run });
  return {
    files: Object.entries(files).map(([name, file]) => routeOf(`/${name}`, async (asked) => ok(send(asked, file)))),
    page: routeOf('/', async (asked) =>
      /\btext\/html\b/.test(asked.request.headers.accept ?? '') ? ok(send(asked, index)) : refused(notFound),
    ),
  };
}

function send({ request }: Exchange, file: File): Success {
  const { body, headers: more } = file.document.in(request.headers['accept-encoding']);
  return { body, headers: { ...headers, ...more, 'Content-Type': file.type } };
}

function readFiles(): ReadonlyMap<string, File> {
  const folder = fileURLToPath(new URL('../../../../../console/dist', import.meta.url));
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return new Map(
    entries.map(({ parentPath, name: file }) => {
      const path = join(parentPath, file);
      const name = relative(folder, path);
      const octets = readFileSync(path);
      const cached =
        name === page ? 'no-store' : hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
      const type = types[extname(file)] ?? 'application/octet-stream';
      return [name, { type, document: new Document(() => octets, cached) }];
    }),
  );
}

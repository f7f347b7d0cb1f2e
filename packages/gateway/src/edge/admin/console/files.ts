/*
 * Serves the files of the console, which `npm ci` builds. They are read once. Any other path of a page is the page itself: the
 * console finds its view by the path.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Scripts and styles come from here only, so that a text of a client or of a phone never becomes one. */
const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

interface File {
  readonly type: string;
  readonly octets: Buffer;
  /** How long a browser may keep it. */
  readonly cached: string;
  /** Made when the first browser asks. */
  compressed?: Buffer;
}

const page = 'index.html';
/** The names of these files have a hash of what is in them. */
const hashed = /^assets\//;

/** Adds the paths of the console. Without the built files there is none. */
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
  const isCompressed = /\bbr\b/.test(String(asked['accept-encoding']));
  if (isCompressed) {
    file.compressed ??= brotliCompressSync(file.octets, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
    reply.header('Content-Encoding', 'br');
  }
  return reply
    .headers({ ...headers, 'Cache-Control': file.cached, Vary: 'Accept-Encoding' })
    .type(file.type)
    .send(isCompressed ? file.compressed : file.octets);
}

/** Good enough, and fast: the largest file takes some 10 ms, once. */
const quality = 5;

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
      return [name, { type: types[extname(file)] ?? 'application/octet-stream', octets: readFileSync(path), cached }];
    }),
  );
}

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { startGateway } from '../../src/app.ts';
import type { Gateway } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { writeNewDatabase } from './database.ts';

/* A gateway that runs for one test file, and its operator's API. */

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly body: unknown;
}

export const folder = mkdtempSync(join(tmpdir(), 'morsel-admin-'));
export let gateway: Gateway;
export let key = '';

before(async () => {
  writeNewDatabase(join(folder, 'morsel.db'));
  const config = readConfig({
    MORSEL_DATA_DIR: folder,
    MORSEL_HTTP_PORT: '0',
    MORSEL_ADMIN_PORT: '0',
    MORSEL_SMPP_PORT: '0',
  });
  assert.ok(config.ok);
  gateway = await startGateway(config.value, { log: makeLog('silent') });
  key = readFileSync(join(folder, 'operator-key'), 'utf8').trim();
});

after(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

export function call(
  method: string,
  path: string,
  options: { readonly body?: string; readonly headers?: { readonly [name: string]: string } } = {},
): Promise<Answer> {
  const { body, headers } = options;
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: gateway.adminPort,
      method,
      path,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: text === '' ? undefined : JSON.parse(text),
        });
      });
    });
    sent.end(body);
  });
}

export function post(path: string, fields: object): Promise<Answer> {
  return call('POST', path, { body: JSON.stringify(fields) });
}

export function codeOf(answer: Answer): unknown {
  return typeof answer.body === 'object' && answer.body !== null && 'code' in answer.body
    ? answer.body.code
    : undefined;
}

/* What the operator's API answers about everything that is stored, to compare two versions of the program on one database. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminBase } from '@morsel/api/admin/client.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import type { Resource } from '@morsel/api/admin/resource.ts';
import type { Gateway } from '../../src/app.ts';
import { HttpClient } from '../support/clients/http-client.ts';
import { toJson } from '../support/json.ts';

export type Answers = Readonly<Record<string, readonly unknown[]>>;

/** What is only true now: what runs, what is wrong, and what the gateway has just done by itself. */
const ofNow = new Set(['node.list', 'session.list', 'alarm.list', 'audit.list', 'retention.list', 'privacy.list']);
/** The state of a running carrier, when the program looked, and a sentence of the program about a kind of alarm. */
const fieldsOfNow = new Set([
  'linkStates',
  'state',
  'since',
  'queued',
  'oldestQueuedAt',
  'lastUsedAt',
  'triedAt',
  'bound',
  'summary',
]);

/** The rows of every list that needs no name, and every message whole. */
export async function readAnswers(gateway: Gateway, dataDir: string): Promise<Answers> {
  const key = readFileSync(join(dataDir, 'operator-key'), 'utf8').trim();
  const client = new HttpClient(gateway.adminPort);
  const answers: Record<string, readonly unknown[]> = {};
  try {
    const get = (path: string) =>
      client.ask({ path: `${adminBase}${path}`, headers: { authorization: `Bearer ${key}` } });
    for (const each of Object.values<Resource>(resources)) {
      for (const [name, { method, path, isPage, isForSessions }] of Object.entries(each.operations)) {
        const id = `${each.name}.${name}`;
        if (method !== 'GET' || !isPage || isForSessions || path.includes('{') || ofNow.has(id)) continue;
        const { status, body } = await get(path);
        // Others need a name or a period.
        if (status === 200 && Array.isArray(body['items'])) answers[id] = body['items'];
        else assert.equal(status, 400, id);
      }
    }
    for (const [list, path] of [
      ['message.find', 'messages'],
      ['inbound.list', 'inbound'],
    ] as const) {
      const whole = (answers[list] ?? []).map(
        async (row) => (await get(`/${path}/${String(toJson(row)['msgId'])}`)).body,
      );
      answers[`${path}, each`] = await Promise.all(whole);
    }
    return answers;
  } finally {
    client.close();
  }
}

/** What an older version knew and this one does not, or says otherwise. New fields and rows are no fault. */
export function faultsOf(before: unknown, now: unknown, place = ''): readonly string[] {
  if (typeof before !== 'object' || before === null) {
    return Object.is(before, now) ? [] : [`${place} was ${JSON.stringify(before)} and is ${JSON.stringify(now)}`];
  }
  if (typeof now !== 'object' || now === null) return [`${place} is missing`];
  const there = new Map<string, unknown>(Object.entries(now));
  return Object.entries(before)
    .filter(([name]) => !fieldsOfNow.has(name))
    .flatMap(([name, value]) => faultsOf(value, there.get(name), `${place}/${name}`));
}

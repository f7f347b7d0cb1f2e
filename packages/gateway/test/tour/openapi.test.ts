import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { notifications } from '@morsel/api/notifications.ts';
import { shapes } from '@morsel/api/shapes.ts';
import { notificationKinds } from '@morsel/api/values/notification.ts';
import { fieldsOf } from '../../src/edge/clients/morsel/notify.ts';
import { sampleOf } from '../../src/core/notification/sample.ts';
import type { HttpAnswer } from '../support/clients/http-client.ts';
import { Tour } from '../support/gateway/tour.ts';

/* Compares the OpenAPI document with a running gateway: all its example requests work, and webhooks get its fields. */

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples: Examples }>> };
  readonly responses: {
    readonly '200': { readonly content?: Readonly<Record<string, { readonly examples: Examples }>> };
  };
}

type Examples = Readonly<Record<string, { readonly value: Fields }>>;
type Fields = Readonly<Record<string, unknown>>;

let tour: Tour;
before(async () => {
  tour = await Tour.open();
});
after(() => tour[Symbol.asyncDispose]());

describe('every example of the OpenAPI document', () => {
  it('is answered 200, as the example shows', async () => {
    const document: Document = JSON.parse((await tour.client.ask({ path: '/openapi.json' })).text);
    let asked = 0;
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const shown = operation.responses[200].content?.['application/json']?.examples;
        for (const { name, ask } of requestsOf({ method, path, operation })) {
          const answer = await ask();
          const what = `${method} ${path} ${name}: ${answer.text}`;
          assert.equal(answer.status, 200, what);
          if (path !== '/openapi.json' && shown) assertAlike(answer.body, shown[name]?.value ?? {}, what);
          asked += 1;
        }
      }
    }
    assert.ok(asked > 40, `${asked} were asked`);
  });
});

/** The example requests of an operation, with the token and a message of the tour in place of the made-up ones. */
function requestsOf({ method, path, operation }: { method: string; path: string; operation: Operation }) {
  const content = Object.entries(operation.requestBody?.content ?? {});
  if (content.length > 0) {
    return content.flatMap(([type, { examples }]) =>
      Object.entries(examples).map(([name, { value }]) => ({
        name,
        ask: async (): Promise<HttpAnswer> => {
          const fields = await real(path, value);
          const body = type === 'application/json' ? JSON.stringify(fields) : formOf(fields);
          return await tour.client.ask({ method: 'POST', path, body, headers: { 'Content-Type': type } });
        },
      })),
    );
  }
  const fields = Object.fromEntries(
    (operation.parameters ?? []).flatMap(({ name, in: place, example }) =>
      place === 'query' && example !== undefined ? [[name, example]] : [],
    ),
  );
  const [name = ''] = Object.keys(operation.responses[200].content?.['application/json']?.examples ?? {});
  return [
    {
      name,
      ask: async (): Promise<HttpAnswer> => {
        const query = path.includes('/sms/') ? `?${formOf(await real(path, { auth: '', ...fields }))}` : '';
        return await tour.client.ask({ method: method.toUpperCase(), path: path + query });
      },
    },
  ];
}

async function real(path: string, fields: Fields): Promise<Fields> {
  const { data } = fields;
  if (typeof data === 'object') return { data: await real(path, { ...data }) };
  if (!('messageId' in fields)) return { ...fields, auth: tour.token };
  // A cancel needs a message that can still be canceled.
  const sendAt = path.endsWith('/cancel') ? { sendAt: new Date(Date.now() + 3_600_000).toISOString() } : {};
  return { ...fields, auth: tour.token, messageId: await tour.accept({ receiver: '+41791230001', ...sendAt }) };
}

function formOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}

/** Checks that answer and example have the same members, of the same types. The carrier's data may come later. */
function assertAlike(answer: Fields, shown: Fields, what: string): void {
  assert.deepEqual(typesOf(answer), typesOf(shown), what);
}

function typesOf(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeof value]));
}

describe("a webhook's notification", () => {
  for (const kind of notificationKinds) {
    it(`has the fields of ${kind} that the OpenAPI document names, and their types`, () => {
      const { shape, example } = notifications[kind];
      const sent = fieldsOf(sampleOf(kind, { now: Date.UTC(2026, 0, 31, 12), currency: 'EUR' }), true);
      const fields = Object.fromEntries(sent.map(({ name, json }) => [name, JSON.parse(json)]));
      const named = Object.keys(shapes[shape]);
      assert.deepEqual(
        Object.keys(fields).filter((name) => !named.includes(name)),
        [],
      );
      assert.deepEqual(typesOf({ ...fields, ...example }), typesOf(fields));
    });
  }
});

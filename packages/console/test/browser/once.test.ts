import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { WebhookEar } from '../../../gateway/test/support/clients/webhook-ear.ts';
import { act, openPlace, signInWith, type Place } from './browser.ts';

/* A form makes its change once, even if the button is pressed three times, or again because the answer was lost. */

let place: Place;
let page: Page;
let ear: WebhookEar;
let inboundPage = '';

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
  const { calls } = place;
  const carrier = { name: 'alpha', host: '127.0.0.1', port: place.simulator.port, systemId: 'us', password: 'secret' };
  done(await calls.carrier.add(carrier));
  done(await calls.account.add({ name: 'acme', currency: 'EUR', balance: '10' }));
  const prices = JSON.parse('[{"prefix":"41","price":"0.01"}]');
  done(await calls.price.set({ list: 'default', currency: 'EUR', prices }));
  done(await calls.route.add({ prefix: '41', carrier: 'alpha' }));
  ear = await WebhookEar.open();
  done(await calls.webhook.add({ account: 'acme', url: ear.url, on: 'inbound', allow: '127.0.0.1' }));
  done(await calls.number.add({ number: '41790000001', account: 'acme' }));
  await place.simulator.sendInbound({ from: '41791112233', to: '41790000001', text: 'hello' });
  await ear.heard(1);
  const [inbound] = done(await calls.inbound.list({})).items;
  inboundPage = `/records/inbound/${inbound?.msgId}`;
});
after(async () => {
  await place[Symbol.asyncDispose]();
  await ear[Symbol.asyncDispose]();
});

interface Form {
  readonly at: string;
  readonly button: string;
  readonly values: Readonly<Record<string, string>>;
  /** The path of the form's request. */
  readonly path: string;
  /** Counts how often the form's change was made. */
  count(): Promise<number>;
}

const entries = async (kind: string) => {
  const { entries: all } = done(await place.calls.posting.statement({ account: 'acme' }));
  return all.filter((each) => each.kind === kind).length;
};

/** Counts the notifications of the inbound message when none waits: only then does a replay make another one. */
async function notified(): Promise<number> {
  const all = await waitUntil('none waits', async () => {
    const { items } = done(await place.calls.notification.list({ kind: 'inbound' }));
    return items.every(({ state }) => state === 'delivered') ? items : undefined;
  });
  return all.length;
}

const forms: readonly Form[] = [
  {
    get at() {
      return inboundPage;
    },
    button: 'Replay',
    values: {},
    path: '/inbound/replay',
    count: notified,
  },
  {
    at: '/accounts/acme',
    button: 'Top up',
    values: { Amount: '100', Reason: 'invoice 7' },
    path: '/accounts/acme/top-up',
    count: () => entries('top-up'),
  },
  {
    at: '/accounts/acme',
    button: 'Adjust',
    values: { Amount: '-1', Reason: 'a letter' },
    path: '/accounts/acme/adjust',
    count: () => entries('adjustment'),
  },
  {
    at: '/messages',
    button: 'Send a message',
    values: { Account: 'acme', Sender: 'Morsel', Receiver: '+41791112233', Text: 'hello' },
    path: '/messages',
    count: async () => done(await place.calls.message.find({})).items.length,
  },
  {
    at: '/accounts/acme?tab=tokens',
    button: 'Add a token',
    values: {},
    path: '/accounts/acme/tokens',
    count: async () => done(await place.calls.token.list({})).items.length,
  },
  {
    at: '/settings?tab=operators',
    button: 'Add a key',
    values: {},
    path: '/operators/jane/keys',
    count: async () => done(await place.calls.operatorKey.list({})).items.filter(({ kind }) => kind === 'key').length,
  },
];

/** Lets the gateway handle the next request to a path, but loses its answer. Other requests to the path wait. */
async function loseAnswer(path: string): Promise<void> {
  await page.route(
    `**/admin/v1${path}`,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
}

const submit = () => page.getByRole('dialog').locator('button[type=submit]');

/** Waits until the gateway accepted the form, which then is closed or shows its result. */
async function taken(): Promise<void> {
  await submit().waitFor({ state: 'detached' });
}

for (const form of forms) {
  describe(form.button, () => {
    it('makes its change once if the answer is lost', async () => {
      const former = await form.count();
      await page.goto(`${place.base}${form.at}`);
      await loseAnswer(form.path);
      await act(page, form.button, form.values);
      await page.getByText('Not known whether it was done').waitFor();
      await submit().click();
      await taken();
      assert.equal((await form.count()) - former, 1);
    });

    it('makes its change once if the button is pressed three times', async () => {
      const former = await form.count();
      await page.goto(`${place.base}${form.at}`);
      await act(page, form.button, form.values, 3);
      await taken();
      assert.equal((await form.count()) - former, 1);
    });
  });
}

it('a form with changed values is not sent before the result of the first request is known', async () => {
  const former = await entries('top-up');
  await page.goto(`${place.base}/accounts/acme`);
  await loseAnswer('/accounts/acme/top-up');
  await act(page, 'Top up', { Amount: '200', Reason: 'invoice 8' });
  await page.getByText('Not known whether it was done').waitFor();
  await page.getByRole('dialog').getByLabel('Amount', { exact: true }).fill('300');
  await submit().click();
  await page.getByText('already used for entry').waitFor();
  await page.getByRole('dialog').getByLabel('Amount', { exact: true }).fill('200');
  await submit().click();
  await taken();
  assert.equal((await entries('top-up')) - former, 1);
});

it('a secret in a lost answer is shown after the next press, and works', async () => {
  await page.goto(`${place.base}/accounts/acme?tab=tokens`);
  await loseAnswer('/accounts/acme/tokens');
  await act(page, 'Add a token', {});
  await page.getByText('Not known whether it was done').waitFor();
  await submit().click();
  const token = await page.getByRole('dialog').locator('code').innerText();
  const answer = await fetch(`http://127.0.0.1:${place.gateway.httpPort}/sms/balance?auth=${token}`);
  assert.equal(answer.status, 200);
});

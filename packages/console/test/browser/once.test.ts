import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import { done } from '../../../gateway/test/support/done.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { WebhookEar } from '../../../gateway/test/support/clients/webhook-ear.ts';
import { act, furnish, openPlace, signInWith, type Place } from './browser.ts';

/* A form makes its change once, even if the button is pressed three times, or again because the answer was lost. */

let place: Place;
let page: Page;
let ear: WebhookEar;
let inboundPage = '';

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
  await furnish(place);
  const { calls } = place;
  ear = await WebhookEar.open();
  done(await calls.webhook.add({ account: 'acme', url: ear.url, on: 'inbound', allow: '127.0.0.1' }));
  done(await calls.number.add({ number: '41790000001', account: 'acme' }));
  await place.simulator.sendInbound({ from: '41791112233', to: '41790000001', text: 'hello' });
  await ear.heard(1);
  const night = { receiver: 'night', kind: 'webhook', to: ear.url, allow: '127.0.0.1' } as const;
  done(await calls.alarmReceiver.add(night));
  const [inbound] = done(await calls.inbound.list({})).items;
  inboundPage = `/records/inbound/${inbound?.msgId}`;
});
after(async () => {
  await place[Symbol.asyncDispose]();
  await ear[Symbol.asyncDispose]();
});

/** An operation that does its work again when it is repeated, the button of its form, its page, its fields, the path of its request, and a count of what it made. */
type Form = readonly [
  operation: string,
  button: string,
  at: () => string,
  values: Readonly<Record<string, string>>,
  path: string,
  count?: () => Promise<number>,
];

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

const toUp = { Amount: '100', Reason: 'invoice 7' };
const message = { Account: 'acme', Sender: 'Morsel', Receiver: '+41791112233', Text: 'hello' };
const messages = async () => done(await place.calls.message.find({})).items.length;
const tokens = async () => done(await place.calls.token.list({})).items.length;
const keys = async () => done(await place.calls.operatorKey.list({})).items.filter(({ kind }) => kind === 'key').length;

const forms: readonly Form[] = [
  ['inbound.replay', 'Replay', () => inboundPage, {}, '/inbound/replay', notified],
  ['posting.topUp', 'Top up', () => '/accounts/acme', toUp, '/accounts/acme/top-up', () => entries('top-up')],
  ['message.send', 'Send a message', () => '/messages', message, '/messages', messages],
  ['token.add', 'Add a token', () => '/accounts/acme?tab=tokens', {}, '/accounts/acme/tokens', tokens],
  ['operatorKey.add', 'Add a key', () => '/settings?tab=operators', {}, '/operators/jane/keys', keys],
  ['posting.adjust', 'Adjust', () => '/accounts/acme', toUp, '/accounts/acme/adjust', () => entries('adjustment')],
  ['token.rotate', 'Rotate', () => '/accounts/acme?tab=tokens', {}, '/tokens/*/rotate'],
  ['account.callbackSecret', 'Callback secret', () => '/accounts/acme', {}, '/accounts/acme/callback-secret'],
  ['carrier.rebind', 'Rebind', () => '/carriers/alpha', {}, '/carriers/alpha/rebind'],
  ['webhook.test', 'Test', () => '/accounts/acme?tab=webhooks', {}, '/webhooks/*/test'],
  ['alarmReceiver.test', 'Test', () => '/settings?tab=alarms', {}, '/alarm-receivers/night/test'],
  ['operator.signInLink', 'Sign-in link', () => '/settings?tab=operators', {}, '/operators/jane/sign-in-link'],
  ['encryptionKey.rotate', 'Rotate', () => '/settings?tab=privacy', {}, '/encryption-keys/rotate'],
];

/** Operations that do their work again when they are repeated, but have no form of one step. */
const exceptions: Readonly<Record<string, string>> = {
  'price.import': 'the change names the version of its preview, so a second one is refused',
  'price.set': 'the console imports prices',
  'webhookSecret.add': 'the console has no form for it yet',
};

it('every operation that a repeated request does again has its form here', () => {
  const again = Object.entries(resources).flatMap(([name, { operations }]) =>
    Object.entries<Operation>(operations).flatMap(([verb, { repeat }]) =>
      repeat === 'key' ? [`${name}.${verb}`] : [],
    ),
  );
  const here = [...forms.map(([operation]) => operation), ...Object.keys(exceptions)];
  assert.deepEqual(again.toSorted(), here.toSorted());
});

/** The number of changes that the audit log has of an operation. */
async function audited(operation: string): Promise<number> {
  const { items } = done(await place.calls.audit.list({ limit: 1_000 }));
  return items.filter((each) => each.operation === operation).length;
}

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

for (const [operation, button, at, values, path, count = () => audited(operation)] of forms) {
  describe(operation, () => {
    it('makes its change once if the answer is lost', async () => {
      const former = await count();
      await page.goto(`${place.base}${at()}`);
      await loseAnswer(path);
      await act(page, button, values);
      await page.getByText('Not known whether it was done').waitFor();
      await submit().click();
      await taken();
      assert.equal((await count()) - former, 1);
    });

    it('makes its change once if the button is pressed three times', async () => {
      const former = await count();
      await page.goto(`${place.base}${at()}`);
      await act(page, button, values, 3);
      await taken();
      assert.equal((await count()) - former, 1);
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

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { pricesOf } from '../../../gateway/test/support/store/prices.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { openPlace, signInWith, type Place } from './browser.ts';

/* No page is a dead end: each says why it is empty, and has a link or button to go on. */

let place: Place;
let owner: BrowserContext;

before(async () => {
  place = await openPlace();
  owner = await place.open();
  await signInWith(owner, await place.gateway.consoleUrl(), 'jane');
});
after(() => place[Symbol.asyncDispose]());

it('an unknown address, and a page for other roles, say so and have a way on (R13)', async () => {
  done(await place.calls.operator.add({ operator: 'sam', role: 'support' }));
  const page = await signInWith(
    await place.open(),
    done(await place.calls.operator.signInLink({ operator: 'sam' })).link,
  );
  for (const [path, heading, reason] of [
    ['/nonsense', 'No page has this address', '/nonsense names no page'],
    ['/prices', 'This page is for other roles', 'You are support. The roles that may see this page: owner, finance.'],
    ['/records/audit/1', 'This page is for other roles', 'The roles that may see this page: owner.'],
  ] as const) {
    await page.goto(`${place.base}${path}`);
    await page.getByRole('heading', { name: heading }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent'), heading, 'the heading has the focus');
    await page.getByRole('main').getByText(reason).waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Go to Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
  await page.close();
});

/** The lists and tabs of a gateway with an account and a carrier that have nothing. */
const empties = [
  '/',
  '/messages',
  '/carriers',
  '/accounts',
  '/prices',
  '/routes',
  '/messages?receiver=%2B41791112233',
  ...['alarms', 'dead', 'doubt', 'receipts', 'inbound'].map((tab) => `/decide?tab=${tab}`),
  ...['refusals', 'inbound', 'cdr'].map((tab) => `/records?tab=${tab}`),
  ...['alarms', 'nodes'].map((tab) => `/settings?tab=${tab}`),
  ...['messages', 'statement', 'tokens', 'logins', 'webhooks', 'numbers', 'optOuts', 'rules'].map(
    (tab) => `/accounts/acme?tab=${tab}`,
  ),
  ...['history', 'answers', 'learned', 'doubt', 'receipts'].map((tab) => `/carriers/beta?tab=${tab}`),
];

it('each empty list has a reason, and a next step as a button or link (R22)', async () => {
  const page = await owner.newPage();
  const seen: string[] = [];
  for (const path of empties) {
    if (path.includes('acme')) await place.calls.account.add({ name: 'acme', currency: 'EUR' });
    if (path.includes('beta'))
      await place.calls.carrier.add({ name: 'beta', host: '127.0.0.1', port: 1, systemId: 'us', password: 'x' });
    await page.goto(`${place.base}${path}`);
    await page.locator('main h1').waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    await page.locator('main table, [data-empty], main dl').first().waitFor();
    for (const list of await page.locator('[data-empty]').all()) {
      seen.push(path);
      assert.match(await list.locator('p').innerText(), /^[A-Z].*\.$/, path);
      assert.ok((await list.locator('a, button').count()) > 0, `${path}: ${await list.innerText()}`);
    }
  }
  assert.ok(new Set(seen).size >= 20, seen.join(' '));
  await page.close();
});

it('the cost of a carrier without a cost list says how many parts have no cost, and where to choose one (R22)', async () => {
  const { calls, simulator } = place;
  const name = 'gamma';
  done(await calls.carrier.add({ name, host: '127.0.0.1', port: simulator.port, systemId: 'us', password: 'secret' }));
  done(await calls.price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 41: '0.01' }) }));
  done(await calls.route.add({ prefix: '41', carrier: name }));
  done(await calls.account.add({ name: 'globex', currency: 'EUR', balance: '10' }));
  const draft = { account: 'globex', sender: 'Morsel', receiver: '+41791112233', text: 'hello' };
  for (let count = 0; count < 2; count += 1) done(await calls.message.send(draft));
  const page = await owner.newPage();
  await waitUntil('both are accepted', async () => {
    const { costs } = done(await calls.carrier.cost({ carrier: name, from: '2026-01-01' }));
    return costs.reduce((sum, { parts }) => sum + parts, 0) === 2;
  });
  await page.goto(`${place.base}/carriers/${name}?tab=cost`);
  await page.getByText('2 parts, no cost list: choose one.').waitFor();
  await page.getByRole('button', { name: 'Choose a cost list' }).click();
  await page.getByRole('dialog').getByLabel('Cost list', { exact: true }).waitFor();
  await page.close();
});

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { startSimulator } from '@morsel/simulator';
import { done } from '../../../gateway/test/support/done.ts';
import { pricesOf } from '../../../gateway/test/support/store/prices.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { furnish, openPlace, signInWith, type Place } from './browser.ts';

/* The console shows the content that its address names, and the current state of carriers. */

let place: Place;
let owner: BrowserContext;
let page: Page;

before(async () => {
  place = await openPlace();
  owner = await place.open();
  page = await signInWith(owner, await place.gateway.consoleUrl(), 'jane');
  await furnish(place);
  const { calls } = place;
  done(await calls.account.add({ name: 'globex', currency: 'EUR', balance: '10' }));
  for (const account of ['acme', 'globex'])
    done(await calls.message.send({ account, sender: 'Morsel', receiver: '+41791112233', text: 'hello' }));
});
after(() => place[Symbol.asyncDispose]());

const carrierPages = ['/carriers', '/carriers/beta', '/routes?tab=explain&account=acme&receiver=%2B420601234567', '/'];

/** Waits until a page shows the wanted text about the carrier beta, and not the refused one. */
async function showsBeta(path: string, wanted: RegExp, refused: RegExp): Promise<void> {
  await page.goto(`${place.base}${path}`);
  const main = page.getByRole('main');
  await main.getByText(wanted).first().waitFor();
  await main.getByText(refused).first().waitFor({ state: 'detached' });
}

it('a carrier without a bound link is shown as down, with its full error, until it is bound again', async () => {
  const { calls } = place;
  const simulator = await startSimulator({ port: 0 });
  const { port } = simulator;
  const beta = { name: 'beta', host: '127.0.0.1', port, systemId: 'us', password: 'secret' };
  done(await calls.carrier.add({ ...beta, backOffMinMs: 100, backOffMaxMs: 200 }));
  done(await calls.route.add({ prefix: '420', carrier: 'beta' }));
  done(await calls.price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 420: '0.01' }) }));
  const state = async () => done(await calls.carrier.show({ carrier: 'beta' })).linkStates[0];
  await waitUntil('it is bound', async () => (await state())?.state === 'bound');
  await simulator.close();
  const error = await waitUntil('it is down', async () => {
    const { lastError = null } = (await state()) ?? {};
    return lastError?.includes('ECONNREFUSED') === true ? lastError : undefined;
  });
  const { downSince } = (await state()) ?? {};
  for (const path of carrierPages) {
    await showsBeta(path, /down since .* \(\d+ s\)/, /^active$/);
    await page.getByText(error).first().waitFor();
  }
  await waitUntil('it has tried again', async () => ((await state())?.reconnects ?? 0) > 2);
  assert.equal((await state())?.downSince, downSince, 'each try is not a new fault');
  await using again = await startSimulator({ port });
  assert.equal(again.port, port);
  await waitUntil('it is bound again', async () => (await state())?.state === 'bound');
  for (const path of carrierPages) {
    if (path === '/') await showsBeta(path, /2 of 2 links bound/, /down since|Carriers that are not well/);
    else await showsBeta(path, /^bound$/, /down since|ECONNREFUSED/);
  }
  done(await calls.carrier.pause({ carrier: 'beta' }));
  await showsBeta('/carriers/beta', /^paused$/, /^active$/);
});

/** Checks that a page shows the messages of one account, or of both if `account` is empty. */
async function shows(on: Page, account: string): Promise<void> {
  await on.getByRole('row').filter({ hasText: 'acme' }).first().waitFor();
  assert.equal(await on.getByLabel('Account', { exact: true }).inputValue(), account);
  const others = await on.getByRole('row').filter({ hasText: 'globex' }).count();
  assert.equal(others, account === '' ? 1 : 0);
  assert.equal(new URL(on.url()).searchParams.get('account') ?? '', account);
}

it('filters, list and address agree after Back, Forward and navigation, and in a second tab', async () => {
  await page.goto(`${place.base}/messages`);
  await shows(page, '');
  await page.getByLabel('Account', { exact: true }).fill('acme');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.waitForURL('**/messages?account=acme');
  await page.getByRole('row').filter({ hasText: 'globex' }).waitFor({ state: 'detached' });
  await shows(page, 'acme');
  await page.goBack();
  await page.getByRole('row').filter({ hasText: 'globex' }).waitFor();
  await shows(page, '');
  await page.goForward();
  await page.getByRole('row').filter({ hasText: 'globex' }).waitFor({ state: 'detached' });
  await shows(page, 'acme');
  const second = await owner.newPage();
  await second.goto(page.url());
  await shows(second, 'acme');
  await second.close();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Messages' }).click();
  await page.getByRole('row').filter({ hasText: 'globex' }).waitFor();
  await shows(page, '');
});

it('the search and forms of other pages also take their values from the address', async () => {
  await page.goto(`${place.base}/messages`);
  const search = page.getByRole('combobox', { name: 'Search' });
  await search.fill('+41791112233');
  await search.press('Enter');
  await page.waitForURL('**find=*');
  await page.goBack();
  await page.getByLabel('Account', { exact: true }).waitFor();
  assert.equal(await search.inputValue(), '');
  await page.goForward();
  await page.getByRole('heading', { name: 'By receiver' }).waitFor();
  assert.equal(await search.inputValue(), '+41791112233');
  const forms = [
    ['/routes?tab=explain&account=acme&receiver=%2B41791112233', 'Receiver', '+41791112233', 'Explain a route'],
    ['/accounts/acme?tab=messages&sender=Morsel', 'Sender', 'Morsel', 'Filter'],
  ] as const;
  for (const [path, label, value, button] of forms) {
    await page.goto(`${place.base}${path}`);
    const field = page.getByLabel(label, { exact: true });
    await field.waitFor();
    assert.equal(await field.inputValue(), value, path);
    const other = label === 'Sender' ? 'Other' : '+41791112244';
    await field.fill(other);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.waitForURL((url) => url.search.includes(encodeURIComponent(other)));
    await page.goBack();
    await page.waitForURL((url) => url.search.includes(encodeURIComponent(value)));
    assert.equal(await field.inputValue(), value, path);
  }
});

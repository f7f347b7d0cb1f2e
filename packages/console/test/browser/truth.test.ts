import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { openPlace, signInWith } from './browser.ts';
import type { Place } from './browser.ts';

/* The console shows what its address says, and the state that its carriers have now. */

let place: Place;
let owner: BrowserContext;
let page: Page;

before(async () => {
  place = await openPlace();
  owner = await place.open();
  page = await signInWith(owner, place.gateway.consoleUrl(), 'jane');
  const { calls } = place;
  const carrier = { name: 'alpha', host: '127.0.0.1', port: place.simulator.port, systemId: 'us', password: 'secret' };
  done(await calls.carrier.add({ ...carrier, backOffMinMs: 100, backOffMaxMs: 200 }));
  const prices = JSON.parse('[{"prefix":"41","price":"0.01"}]');
  done(await calls.price.set({ list: 'default', currency: 'EUR', prices }));
  done(await calls.route.add({ prefix: '41', carrier: 'alpha' }));
  for (const account of ['acme', 'globex']) {
    done(await calls.account.add({ name: account, currency: 'EUR', balance: '10' }));
    done(await calls.message.send({ account, sender: 'Morsel', receiver: '+41791112233', text: 'hello' }));
  }
});
after(() => place[Symbol.asyncDispose]());

/** The page shows the messages of one account, or of both. */
async function shows(on: Page, account: string): Promise<void> {
  await on.getByRole('row').filter({ hasText: 'acme' }).first().waitFor();
  assert.equal(await on.getByLabel('Account', { exact: true }).inputValue(), account);
  const others = await on.getByRole('row').filter({ hasText: 'globex' }).count();
  assert.equal(others, account === '' ? 1 : 0);
  assert.equal(new URL(on.url()).searchParams.get('account') ?? '', account);
}

it('filters, list and address agree: Back, Forward, the navigation, a second tab', async () => {
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

it('the search and the forms of other pages follow the address, too', async () => {
  await page.goto(`${place.base}/messages`);
  const search = page.getByRole('searchbox');
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
    ['/accounts/acme?tab=statement&from=2026-01-02', 'From', '2026-01-02', 'Filter'],
    ['/routes?tab=explain&account=acme&receiver=%2B41791112233', 'Receiver', '+41791112233', 'Explain a route'],
    ['/carriers/alpha?tab=cost&from=2026-01-02', 'From', '2026-01-02', 'Filter'],
  ] as const;
  for (const [path, label, value, button] of forms) {
    await page.goto(`${place.base}${path}`);
    const field = page.getByLabel(label, { exact: true });
    await field.waitFor();
    assert.equal(await field.inputValue(), value, path);
    const other = label === 'From' ? '2026-01-03' : '+41791112244';
    await field.fill(other);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.waitForURL((url) => url.search.includes(encodeURIComponent(other)));
    await page.goBack();
    await page.waitForURL((url) => url.search.includes(encodeURIComponent(value)));
    assert.equal(await field.inputValue(), value, path);
  }
});

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { formatMicros } from '@morsel/api/values/money.ts';
import { done } from '../../../gateway/test/support/done.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { openPlace, signInWith, type Place } from './browser.ts';

/* Alarms: the heaviest first, as sentences with links, and with buttons that open the filled form of what helps. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
  const { calls } = place;
  done(await calls.alarm.set({ kind: 'disk-low', watched: 'no' }));
  done(await calls.alarm.set({ kind: 'carrier-down', forSeconds: 0 }));
  const nowhere = { name: 'nowhere', host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' };
  done(await calls.carrier.add(nowhere));
  await opened('carrier-down', 1);
  for (const name of ['hooli', 'initech']) {
    done(await calls.account.add({ name, currency: 'EUR', balance: '20', lowBalance: '20' }));
    done(await calls.posting.adjust({ account: name, amount: '-6.21', reason: 'a correction' }));
  }
  await opened('low-balance', 2);
});
after(() => place[Symbol.asyncDispose]());

async function opened(kind: string, count: number): Promise<void> {
  await waitUntil(`${count} ${kind}`, async () => {
    const { items } = done(await place.calls.alarm.list({}));
    return items.filter((each) => each.kind === kind).length === count;
  });
}

const [down, hooliLow] = ['Carrier nowhere is down', 'The balance of account hooli is low'];

it('open critical alarms are counted in the navigation and in the title of each page', async () => {
  for (const path of ['/messages', '/settings', '/']) {
    await page.goto(`${place.base}${path}`);
    await page.getByRole('navigation', { name: 'Pages' }).getByText('1', { exact: true }).waitFor();
    await page.waitForFunction(`/^\\(1\\) .+ – Morsel$/.test(document.title)`);
  }
});

it('the count leads to the alarms: critical first, as sentences with links, and without commands', async () => {
  await page.goto(`${place.base}/accounts`);
  await page.getByRole('navigation', { name: 'Pages' }).getByText('1', { exact: true }).click();
  await page.getByRole('link', { name: down }).waitFor();
  const titles = await page.locator('tbody tr strong').allInnerTexts();
  assert.deepEqual(titles, [down, hooliLow, 'The balance of account initech is low']);
  await page.getByRole('button', { name: 'Top up hooli by 6.21 EUR' }).waitFor();
  const text = await page.getByRole('main').innerText();
  assert.ok(!/morsel |--/.test(text), text);
  await page.getByRole('link', { name: 'nowhere', exact: true }).click();
  await page.waitForURL('**/carriers/nowhere');
});

it('a remedy opens its filled form, in the list and on the page of the alarm', async () => {
  await page.goto(`${place.base}/decide`);
  await page.getByRole('link', { name: hooliLow }).click();
  await page.getByRole('heading', { name: hooliLow, level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Top up hooli by 6.21 EUR' }).waitFor();
  const text = await page.getByRole('main').innerText();
  assert.ok(!/morsel |--/.test(text), text);
  await page.goBack();
  await page.getByRole('button', { name: 'Top up hooli by 6.21 EUR' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByLabel('Amount', { exact: true }).inputValue(), '6.21');
  await dialog.getByLabel('Reason', { exact: true }).fill('invoice 7');
  await dialog.locator('button[type=submit]').click();
  await dialog.locator('button[type=submit]').waitFor({ state: 'detached' });
  const { balance } = done(await place.calls.account.show({ account: 'hooli' }));
  assert.equal(formatMicros(balance), '20');
});

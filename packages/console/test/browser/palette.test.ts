import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { done } from '../../../gateway/test/support/done.ts';
import { accessibilityFaults, furnish, openPlace, signInWith, type Place } from './browser.ts';

/* One field finds messages, names, single settings and actions, with the keyboard alone. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open({ bypassCSP: true }), await place.gateway.consoleUrl(), 'jane');
  await furnish(place);
  const { calls } = place;
  done(await calls.login.add({ account: 'acme', systemId: 'web-shop' }));
  done(await calls.message.send({ account: 'acme', sender: 'Morsel', receiver: '+41791112233', text: 'hello' }));
});
after(() => place[Symbol.asyncDispose]());

/** Types into the search, which `key` opens, and takes the best hit, whose text must be `best`. */
async function search(key: string, text: string, best: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  await page.keyboard.press(key);
  await page.keyboard.type(text);
  const chosen = page.locator('[role=option][aria-selected=true]');
  await chosen.getByText(best, { exact: true }).waitFor();
  await page.keyboard.press('Enter');
}

it('finds names, and goes to their pages', async () => {
  await page.goto(`${place.base}/settings`);
  for (const [key, text, best, path] of [
    ['/', 'alp', 'alpha', '/carriers/alpha'],
    ['Control+k', 'acme', 'acme', '/accounts/acme'],
    ['/', 'default', 'default', '/prices/default'],
    ['/', '41', '41 alpha', '/routes'],
    ['/', 'web-s', 'web-shop', '/accounts/acme?tab=logins'],
  ] as const) {
    await page.locator('main h1').waitFor();
    if (text === '41') {
      await page.keyboard.press(key);
      await page.keyboard.type(text);
      await page.getByRole('option', { name: best }).click();
    } else await search(key, text, best);
    await page.waitForURL(`${place.base}${path}`);
  }
});

it('opens a single setting and an action by their names', async () => {
  await page.goto(`${place.base}/`);
  await page.locator('main h1').waitFor();
  await search('/', 'alpha window', 'alpha: Window');
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByLabel('Window', { exact: true }).inputValue(), '10');
  await dialog.getByLabel('Window', { exact: true }).fill('20');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(done(await place.calls.carrier.show({ carrier: 'alpha' })).window, 20);
  await search('Control+k', 'pause alpha', 'Pause alpha');
  await dialog.locator('button[type=submit]').click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(done(await place.calls.carrier.show({ carrier: 'alpha' })).status, 'paused');
});

it('reads tokens from the declared filters, completes them, and refuses an unknown one', async () => {
  await page.goto(`${place.base}/`);
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('acco');
  const field = page.getByRole('combobox', { name: 'Search' });
  const reads = (text: RegExp) => waitUntil('the field has it', async () => text.test(await field.inputValue()));
  await page.getByRole('option', { name: 'account:' }).click();
  await reads(/^account:$/);
  await page.keyboard.type('ac');
  await page.getByRole('option', { name: 'account:acme' }).click();
  await reads(/^account:acme $/);
  await page.keyboard.type('to:+41791112233');
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press('Enter');
  await page.waitForURL(/messages\?/);
  const { searchParams } = new URL(page.url());
  assert.deepEqual([searchParams.get('account'), searchParams.get('receiver')], ['acme', '+41791112233']);
  await page.getByRole('row').filter({ hasText: '+41791112233' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('acount:acme');
  await page.getByRole('alert').getByText('unknown filter acount; did you mean account?').waitFor();
});

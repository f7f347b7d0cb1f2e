import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { furnish, openPlace, signInWith, type Place } from './browser.ts';

/* Lists are sorted by their columns, and go with the keyboard alone. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
  await furnish(place);
  for (const [name, balance] of [
    ['globex', '2.5'],
    ['hooli', '100'],
    ['initech', '0.5'],
  ] as const)
    done(await place.calls.account.add({ name, currency: 'EUR', balance }));
});
after(() => place[Symbol.asyncDispose]());

const names = () => page.locator('tbody tr td:first-child').allInnerTexts();

it('a whole list is sorted by the column whose heading is pressed, as the address says', async () => {
  await page.goto(`${place.base}/accounts`);
  const heading = page.getByRole('columnheader').getByRole('link', { name: 'Balance' });
  await heading.click();
  await page.waitForURL('**/accounts?sort=balance');
  assert.deepEqual(await names(), ['initech', 'globex', 'acme', 'hooli']);
  await heading.click();
  await page.waitForURL('**/accounts?sort=-balance');
  assert.deepEqual(await names(), ['hooli', 'acme', 'globex', 'initech']);
  await page.reload();
  await page.getByRole('link', { name: 'hooli' }).waitFor();
  assert.deepEqual(await names(), ['hooli', 'acme', 'globex', 'initech']);
  await page.goBack();
  await page.waitForURL('**/accounts?sort=balance');
  assert.deepEqual(await names(), ['initech', 'globex', 'acme', 'hooli']);
});

it('J, K and Enter move in a list and open a row, unless single keys are off', async () => {
  await page.goto(`${place.base}/accounts?sort=balance`);
  await page.getByRole('link', { name: 'hooli' }).waitFor();
  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
  assert.equal(await page.evaluate(`document.activeElement.querySelector('a').textContent`), 'globex');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/accounts/globex');
  await page.goto(`${place.base}/settings?tab=own`);
  await page.getByRole('button', { name: 'Turn single keys off' }).click();
  await page.getByRole('button', { name: 'Turn single keys on' }).waitFor();
  await page.goto(`${place.base}/accounts`);
  await page.getByRole('link', { name: 'hooli' }).waitFor();
  for (const key of ['j', '/']) await page.keyboard.press(key);
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
});

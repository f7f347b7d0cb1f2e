import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { pricesOf } from '../../../gateway/test/support/store/prices.ts';
import { furnish, openPlace, signInWith, type Place } from './browser.ts';

/* One look for one thing, on every page. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
  await furnish(place);
});
after(() => place[Symbol.asyncDispose]());

/** The looks of the members of a set, and their texts. */
async function looksOf(set: string): Promise<readonly { readonly look: string; readonly text: string }[]> {
  const found: unknown = await page.evaluate(`(() => {
    const links = [...document.querySelectorAll('nav[aria-label="${set}"] a')];
    return links.map((each) => {
      const { backgroundColor, color, fontWeight } = getComputedStyle(each);
      return { look: [backgroundColor, color, fontWeight].join(' '), text: each.textContent };
    });
  })()`);
  return Array.isArray(found) ? found : [];
}

/** The look of the one member that looks unlike all others. Its text must be `wanted`. */
async function chosenIn(set: string, wanted: string): Promise<string> {
  await page.mouse.move(0, 0);
  const looks = await looksOf(set);
  const chosen = looks.filter(({ look }) => looks.filter((each) => each.look === look).length === 1);
  assert.deepEqual(
    chosen.map(({ text }) => text),
    [wanted],
    set,
  );
  return chosen[0]?.look ?? '';
}

it('the chosen page, tab and period have one look, before and after a reload (R10)', async () => {
  const sets = [
    ['/', 'Pages', 'Overview'],
    ['/', 'History', 'Last hour'],
    ['/', 'History', 'Last 7 days'],
    ['/accounts/acme', 'Pages', 'Accounts'],
    ['/accounts/acme', 'Parts of this page', 'Settings'],
    ['/accounts/acme', 'Parts of this page', 'Tokens'],
  ] as const;
  const looks = new Set<string>();
  for (const [path, set, wanted] of sets) {
    await page.goto(`${place.base}${path}`);
    await page.getByRole('navigation', { name: set }).getByRole('link', { name: wanted, exact: true }).click();
    looks.add(await chosenIn(set, wanted));
    await page.reload();
    await page.getByRole('navigation', { name: set }).waitFor();
    looks.add(await chosenIn(set, wanted));
  }
  assert.equal(looks.size, 1, [...looks].join(' | '));
});

/** The places of the points of the amounts in a column, in pixels from the left. */
async function pointsIn(column: string): Promise<readonly number[]> {
  const found: unknown = await page.evaluate(`(() => {
    const table = document.querySelector('main table');
    const at = [...table.querySelectorAll('th')].findIndex((each) => each.textContent === '${column}');
    return [...table.querySelectorAll('tbody tr')].map((row) => {
      const texts = document.createTreeWalker(row.children[at], NodeFilter.SHOW_TEXT);
      for (let text; (text = texts.nextNode());) {
        const point = text.data.indexOf('.');
        if (point < 0) continue;
        const range = document.createRange();
        range.setStart(text, point);
        range.setEnd(text, point + 1);
        return Math.round(range.getBoundingClientRect().x * 10) / 10;
      }
    });
  })()`);
  return Array.isArray(found) ? found.map(Number) : [];
}

it('an amount has one look in list, head, form and statement, and is read as people type it (R18)', async () => {
  const { calls } = place;
  done(await calls.price.set({ list: 'swiss', currency: 'CHF', prices: pricesOf({ 41: '0.01' }) }));
  for (const [name, currency, balance, priceList] of [
    ['globex', 'EUR', '1191.4608', 'default'],
    ['hooli', 'CHF', '100', 'swiss'],
    ['initech', 'EUR', '0.0011', 'default'],
  ] as const)
    done(await calls.account.add({ name, currency, balance, priceList }));
  await page.goto(`${place.base}/accounts`);
  const text = '1\u202f191.4608 EUR';
  await page.getByRole('cell', { name: text, exact: true }).waitFor();
  await page.getByRole('cell', { name: '100.00 CHF', exact: true }).waitFor();
  const points = await pointsIn('Balance');
  assert.equal(points.length, 4);
  assert.equal(new Set(points).size, 1, points.join());
  await page.goto(`${place.base}/accounts/globex`);
  await page.locator('main dl').first().getByText(text, { exact: true }).waitFor();
  await page.goto(`${place.base}/accounts/globex?tab=statement`);
  await page.getByRole('cell', { name: text, exact: true }).first().waitFor();
  for (const typed of ['1.000,50', '1,000.50']) {
    await page.getByRole('button', { name: 'Top up' }).click();
    await page.getByRole('dialog').getByLabel('Amount').fill(typed);
    await page.getByRole('dialog').getByText('= 1\u202f000.50 EUR.').waitFor();
    await page.getByRole('dialog').locator('button[type=submit]').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  assert.equal(done(await calls.account.show({ account: 'globex' })).balance, 3_192_460_800n);
});

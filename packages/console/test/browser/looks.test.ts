import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
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
    ['/', 'History', 'Hour'],
    ['/', 'History', 'Week'],
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

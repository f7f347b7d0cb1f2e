import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
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
    await page.getByRole('main').getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
  await page.close();
});

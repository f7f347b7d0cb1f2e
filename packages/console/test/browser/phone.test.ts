import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { furnish, openPlace, signInWith, type Place } from './browser.ts';

/* On a phone, each row has two lines with what matters, and nothing stands outside its card. */

let place: Place;
let page: Page;
const receiver = '+41791112233';

before(async () => {
  place = await openPlace();
  page = await signInWith(
    await place.open({ viewport: { width: 390, height: 844 } }),
    await place.gateway.consoleUrl(),
    'jane',
  );
  await furnish(place);
  const draft = { account: 'acme', sender: 'Morsel', receiver, text: 'hello' };
  for (let count = 0; count < 3; count += 1) done(await place.calls.message.send(draft));
});
after(() => place[Symbol.asyncDispose]());

/** What stands outside its card, or needs sideways scroll. */
const outside = `(() => {
  const wide = [...document.querySelectorAll('main [role=group]')].filter((each) => each.scrollWidth > each.clientWidth);
  const cards = [...document.querySelectorAll('main section')];
  const out = cards.flatMap((card) => [...card.querySelectorAll('td, dd, dt, a, button')].filter((each) => {
    const { width, right } = each.getBoundingClientRect();
    return width > 0 && right > card.getBoundingClientRect().right + 1;
  }));
  return [...wide, ...out].map((each) => each.outerHTML.slice(0, 120));
})()`;

it('rows have receiver, state, account and age in two lines, and nothing scrolls sideways (R20)', async () => {
  for (const path of ['/accounts', '/accounts/acme', '/messages', '/carriers', '/carriers/alpha']) {
    await page.goto(`${place.base}${path}`);
    await page.locator('main table, main dl').first().waitFor();
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 390, path);
    assert.deepEqual(await page.evaluate(outside), [], path);
  }
  await page.goto(`${place.base}/messages`);
  const rows = page.locator('tbody tr');
  await rows.first().waitFor();
  assert.equal(await rows.count(), 3);
  for (const row of await rows.all()) {
    const text = await row.innerText();
    for (const wanted of [receiver, 'acme', /\b(?:delivered|sent|queued|accepted)\b/, /^\d+ (?:s|min)$/m])
      assert.ok(text.search(wanted instanceof RegExp ? wanted : wanted.replace('+', '\\+')) >= 0, text);
    const [main, state, account] = await Promise.all(
      [receiver, /^(?:delivered|sent|queued|accepted)$/, 'acme'].map((each) => row.getByText(each).boundingBox()),
    );
    assert.ok(main && state && account && Math.abs(main.y - state.y) < 10 && account.y > main.y + 10);
    const { height = 0 } = (await row.boundingBox()) ?? {};
    assert.ok(height > 0 && height < 80, `${height}`);
  }
});

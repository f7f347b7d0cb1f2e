import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { accessibilityFaults, act, closed, furnish, openPlace, signInWith, type Place } from './browser.ts';

/* Settings of a carrier as a tab: in groups, with a search and a foot. And what an empty prefix means. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open({ bypassCSP: true }), await place.gateway.consoleUrl(), 'jane');
  await furnish(place);
});
after(() => place[Symbol.asyncDispose]());

const save = () => page.getByRole('button', { name: 'Save', exact: true });
const foot = () => page.getByRole('status').filter({ hasText: /change|Saved|unchanged|changed/ });
const show = async () => done(await place.calls.carrier.show({ carrier: 'alpha' }));

describe('a setting is found, changed and saved in three clicks (R15)', () => {
  for (const [at, width, height, window] of [
    ['a desk', 1_440, 900, 60],
    ['a phone', 390, 844, 61],
  ] as const) {
    it(`at ${at}, Save is in view without scrolling`, async () => {
      const { window: former } = await show();
      await page.setViewportSize({ width, height });
      await page.goto(`${place.base}/carriers`);
      await page.getByRole('link', { name: 'alpha', exact: true }).click();
      await page.getByRole('main').getByRole('link', { name: 'Settings', exact: true }).click();
      await page.getByLabel('Window', { exact: true }).fill(String(window));
      await page.getByText(`1 change: Window ${former} → ${window}`).waitFor();
      const box = await save().boundingBox();
      const scrolled = await page.evaluate('document.scrollingElement.scrollTop');
      assert.ok(box && box.y + box.height <= height && box.y > 0, JSON.stringify({ box, scrolled }));
      await save().click();
      await page.getByText('Saved.').waitFor();
      assert.equal((await show()).window, window);
    });
  }

  it('Save is never disabled, and says that nothing is changed; Discard takes typed text back', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.goto(`${place.base}/carriers/alpha?tab=settings`);
    await save().click();
    await foot().getByText('Nothing is changed yet.').waitFor();
    const links = page.getByLabel('Links', { exact: true });
    await links.fill('3');
    await page.getByText('1 change: Links 1 → 3').waitFor();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    assert.equal(await links.inputValue(), '1');
  });

  it('fields are in groups with the words and units of people, and are found by any of their words', async () => {
    await page.goto(`${place.base}/carriers/alpha?tab=settings`);
    await page.getByRole('group', { name: 'Pace', exact: true }).getByLabel('Pace limit', { exact: true }).waitFor();
    const limit = page.getByLabel('Pace limit: no limit', { exact: true });
    assert.ok(await limit.isChecked());
    await page.getByLabel('Find a setting').fill('enquire');
    const silence = page.getByLabel('Silence before enquiring', { exact: true });
    assert.equal(await silence.inputValue(), '30 s');
    assert.equal(await page.getByLabel('Window', { exact: true }).count(), 0);
    await silence.fill('72h');
    await save().click();
    await page.getByRole('alert').getByText('must be a duration from 100 ms to 10 min').waitFor();
    await silence.fill('2 min');
    await save().click();
    await page.getByText('Saved.').waitFor();
    assert.equal((await show()).profile.enquireLinkMs, 120_000);
    await page.getByLabel('Find a setting').fill('no such words');
    await page.getByText('No setting has these words.').waitFor();
  });

  it('a special value is a tick, a choice says what it does, and a risk is named before Save', async () => {
    await page.goto(`${place.base}/carriers/alpha?tab=settings`);
    await page.getByLabel('Pace limit: no limit', { exact: true }).uncheck();
    await save().click();
    await page.getByRole('alert').getByText('Type a value, or tick “No limit”.').waitFor();
    await page.getByLabel('Pace limit', { exact: true }).fill('50');
    const doubt = page.getByLabel('Part without an answer', { exact: true });
    await doubt.selectOption('Ask an operator');
    await page
      .getByText('2 changes: Pace limit no limit → 50, Part without an answer Send it again → Ask an operator')
      .waitFor();
    await save().click();
    await page.getByText('Saved.').waitFor();
    await doubt.selectOption('Send it again');
    await page.getByText('A receiver may get a message twice.').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    const { throughput, inDoubt } = await show();
    assert.deepEqual([throughput, inDoubt], [50, 'hold']);
  });

  it('a setting that does not apply is not shown', async () => {
    await page.goto(`${place.base}/carriers/alpha?tab=settings`);
    await page.getByLabel('Find a setting').fill('host');
    assert.equal(await page.getByLabel('Receiver’s host', { exact: true }).count(), 0);
    await page.getByLabel('Find a setting').fill('');
    await page.getByLabel('Sessions', { exact: true }).selectOption('Separate transmitter and receiver');
    await page.getByText('Receiver session', { exact: true }).click();
    await page.getByLabel('Receiver’s host', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
  });
});

it('an empty prefix is asked for its meaning (R14)', async () => {
  await page.goto(`${place.base}/routes`);
  await act(page, 'Add a route', { Carrier: 'alpha' });
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('alert').getByText('Type a value, or tick “Every number”.').waitFor();
  await dialog.getByText('takes all without a longer route').waitFor();
  assert.equal(done(await place.calls.route.list({})).items.length, 1);
  await dialog.getByLabel('Prefix: every number', { exact: true }).check();
  await dialog.locator('button[type=submit]').click();
  await closed(page);
  await page.getByRole('row').filter({ hasText: 'every number' }).waitFor();
  assert.deepEqual(
    done(await place.calls.route.list({})).items.map(({ prefix }) => prefix),
    ['', '41'],
  );
});

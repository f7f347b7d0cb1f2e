import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { openPlace, password, signInWith, type Place } from './browser.ts';

/* Typed text is kept: nothing discards it without a question, not even the end of the session. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
});
after(() => place[Symbol.asyncDispose]());

const typed = { Name: 'alpha', Host: 'smsc.example.net', 'System id': 'us' };

async function typeCarrier(): Promise<void> {
  await page.goto(`${place.base}/accounts`);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Carriers' }).click();
  await page.getByRole('button', { name: 'Add a carrier' }).first().click();
  for (const [label, text] of Object.entries(typed)) await field(label).fill(text);
}

const form = () => page.getByRole('dialog', { name: 'Add a carrier' });
const field = (label: string) => form().getByLabel(label, { exact: true });
const question = () => page.getByRole('heading', { name: 'Discard 3 changes?' });
const answer = (name: 'Keep' | 'Discard') => page.getByRole('button', { name, exact: true }).click();

async function isKept(): Promise<void> {
  for (const [label, text] of Object.entries(typed)) assert.equal(await field(label).inputValue(), text, label);
}

it('Escape and Close ask before a form is discarded', async () => {
  await typeCarrier();
  for (const leave of [() => page.keyboard.press('Escape'), () => form().getByLabel('Close').first().click()]) {
    await leave();
    await question().waitFor();
    await answer('Keep');
    await question().waitFor({ state: 'detached' });
    await isKept();
  }
  // Escape in the question keeps the form.
  await page.keyboard.press('Escape');
  await question().waitFor();
  await page.keyboard.press('Escape');
  await question().waitFor({ state: 'detached' });
  await isKept();
  await page.keyboard.press('Escape');
  await answer('Discard');
  await form().waitFor({ state: 'detached' });
});

it('Back, a link and a reload ask before typed text is discarded', async () => {
  await typeCarrier();
  await page.goBack();
  await question().waitFor();
  await answer('Keep');
  assert.equal(new URL(page.url()).pathname, '/carriers');
  await isKept();
  const asked: string[] = [];
  page.once('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.evaluate('location.reload()').catch(() => undefined);
  await isKept();
  assert.deepEqual(asked, ['beforeunload']);
  await page.goBack();
  await answer('Discard');
  await page.waitForURL('**/accounts');
  await form().waitFor({ state: 'detached' });

  await page.goto(`${place.base}/settings?tab=config`);
  const text = page.getByLabel('Document', { exact: true });
  await text.fill('{}');
  const messages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Messages' });
  await messages.click();
  await page.getByRole('heading', { name: 'Discard 1 change?' }).waitFor();
  await answer('Keep');
  assert.equal(await text.inputValue(), '{}');
  await messages.click();
  await answer('Discard');
  await page.waitForURL('**/messages');
});

it('the sign-in after the end of the session is above the page, and every field keeps its text', async () => {
  await typeCarrier();
  const { calls } = place;
  for (const { id, kind } of done(await calls.operatorKey.list({ operator: 'jane' })).items)
    if (kind === 'session') done(await calls.operatorKey.revoke({ id }));
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.waitFor();
  await page.keyboard.press('Escape');
  await again.getByLabel('Password').fill('wrong');
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.getByText('is wrong').waitFor();
  await again.getByLabel('Password').fill(password);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.waitFor({ state: 'detached' });
  await isKept();
  await field('Port').fill('2775');
  await field('Password').fill('secret');
  await form().locator('button[type=submit]').click();
  await form().waitFor({ state: 'detached' });
  assert.equal(done(await calls.carrier.list({})).items.length, 1);
});

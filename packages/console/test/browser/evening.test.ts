import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { act, closed, openPlace, signInWith, type Place } from './browser.ts';

/* An operator's first evening with the console alone, and the tasks of later days. Each test needs those before it. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
});
after(() => place[Symbol.asyncDispose]());

/** The first row of a table that contains a text. */
const row = (text: string) => page.getByRole('row').filter({ hasText: text }).first();

it('the first owner signs in by the link, once', async () => {
  const link = await place.gateway.consoleUrl();
  page = await signInWith(await place.open(), link, 'jane');
  await page.getByText('jane (owner)').waitFor();
  const other = await (await place.open()).newPage();
  await other.goto(link);
  await other.getByLabel('Name').fill('mallory');
  await other.getByLabel('New password').fill('correct horse battery');
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByText('This link was used already').waitFor();
  await other.getByText('morsel operator add NAME --role owner').waitFor();
  await other.getByText('morsel operator sign-in-link NAME').waitFor();
  assert.equal(await place.gateway.consoleUrl(), place.base, 'there is no link for a second first owner');
});

it('adds a carrier, and sees its link bound', async () => {
  await page.goto(`${place.base}/carriers`);
  await page.getByText('There are no carriers yet').waitFor();
  await act(page, 'Add a carrier', {
    Name: 'alpha',
    Host: '127.0.0.1',
    Port: String(place.simulator.port),
    'System id': 'us',
    Password: 'secret',
  });
  await closed(page);
  await page.getByRole('link', { name: 'alpha' }).click();
  await page.getByRole('group', { name: 'Table' }).getByText('bound', { exact: true }).waitFor();
  await act(page, 'Test', {});
  await page.getByText('Every step succeeded').waitFor();
});

it('imports prices after a preview', async () => {
  const dialog = page.getByRole('dialog');
  const submit = dialog.locator('button[type=submit]');
  await page.goto(`${place.base}/prices`);
  await act(page, 'Import prices', { List: 'default', Currency: 'EUR', File: 'prefix,price\n41,0.0075\n44,0.01\n' });
  await page.getByText('2 new, 0 dearer').waitFor();
  await submit.click();
  await closed(page);
  await page.getByRole('link', { name: 'default' }).click();
  await page.getByLabel('Number', { exact: true }).fill('+41791112233');
  await page.getByText('by prefix 41 of list default').waitFor();
  await act(page, 'Import prices', { File: '41,0.008\n45,x' });
  await page.getByText('line 2: the price must be digits').waitFor();
  await dialog.getByLabel('File', { exact: true }).fill('41,0.008');
  await submit.click();
  await page.getByText('0 new, 1 dearer, 0 cheaper, 0 removed, 1 unchanged').waitFor();
  await submit.click();
  await closed(page);
});

it('adds a route and an account', async () => {
  await page.goto(`${place.base}/routes`);
  await act(page, 'Add a route', { Prefix: '41', Carrier: 'alpha' });
  await closed(page);
  await row('alpha').waitFor();
  await page.goto(`${place.base}/accounts`);
  await act(page, 'Add an account', { Name: 'acme', Currency: 'EUR', Balance: '10' });
  await closed(page);
  await page.getByRole('link', { name: 'acme' }).click();
  await page.getByText('10.00 EUR').waitFor();
});

it('adds a token, which is shown once', async () => {
  await page.goto(`${place.base}/accounts/acme?tab=tokens`);
  await act(page, 'Add a token', {});
  const secret = await page.getByRole('dialog').locator('code').innerText();
  assert.match(secret, /^morsel_/);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.reload();
  await page.getByRole('row').nth(1).waitFor();
  assert.ok(!(await page.content()).includes(secret));
});

it('sees the price of a message, sends it, and sees its delivery live', async () => {
  await page.goto(`${place.base}/messages`);
  await page.getByRole('button', { name: 'Send a message' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Account').fill('acme');
  await dialog.getByLabel('Sender').fill('Morsel');
  await dialog.getByLabel('Receiver').fill('+41791112233');
  await dialog.getByLabel('Text').fill('ł'.repeat(71));
  await dialog.getByText('71 characters, UCS, 2 parts').waitFor();
  await dialog.getByText('0.016 EUR').waitFor();
  await dialog.getByLabel('Text').fill('Hello from the console');
  await dialog.getByText('22 characters, GSM, 1 part').waitFor();
  await dialog.getByText('through alpha').waitFor();
  await dialog.getByRole('button', { name: 'Send a message' }).click();
  await page.waitForURL('**/messages/*');
  const life = page.getByRole('listitem');
  for (const event of [
    'accepted from operator',
    'sent to alpha, link 1',
    'carrier answered ESME_ROK',
    'receipt DELIVERED',
  ]) {
    await life.filter({ hasText: event }).first().waitFor();
  }
  await page.getByText('Hello from the console').waitFor();
});

it('finds the message again by its number and by its id', async () => {
  const id = page.url().split('/').at(-1) ?? '';
  for (const wanted of ['+41 79 111 22 33', id]) {
    await page.getByRole('combobox', { name: 'Search' }).fill(wanted);
    await page.getByRole('combobox', { name: 'Search' }).press('Enter');
    await page.getByRole('link', { name: id }).first().click();
    await page.getByRole('heading', { name: `Message ${id}` }).waitFor();
  }
});

it('tops an account up, and sees it in the statement', async () => {
  await page.goto(`${place.base}/accounts/acme`);
  await act(page, 'Top up', { Amount: '5.25', Reason: 'invoice 7' });
  await closed(page);
  await page.getByText('15.242 EUR').waitFor();
  await page.getByRole('link', { name: 'Statement' }).click();
  await row('invoice 7').getByText('jane').waitFor();
});

it('shows what an edit changes before it is made', async () => {
  await page.goto(`${place.base}/accounts/acme`);
  const parts = page.getByLabel('Most parts', { exact: true });
  await parts.fill('300');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').first().waitFor();
  await parts.fill('5');
  await page.getByText('1 change: Most parts 10 → 5').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  assert.equal(place.gateway.operator.snapshot().accounts.values().next().value?.partsMax, 5);
});

it('replays a dead letter', async () => {
  const { calls } = place;
  const nobody = 'https://127.0.0.1:8099/sms';
  const made = await calls.webhook.add({ account: 'acme', url: nobody, on: 'receipt', allow: '127.0.0.1' });
  assert.ok(made.ok, JSON.stringify(made));
  await calls.message.send({ account: 'acme', sender: 'Morsel', receiver: '+41791112244', text: 'two' });
  await page.goto(`${place.base}/accounts/acme?tab=webhooks`);
  await waitUntil('it is tried', async () =>
    done(await calls.notification.list({})).items.some(({ tries }) => tries > 0),
  );
  await page.reload();
  await row('waiting').waitFor();
  assert.ok((await calls.webhook.remove({ webhook: made.value.id })).ok);
  await calls.webhook.add({ account: 'acme', url: nobody, on: 'receipt', allow: '127.0.0.1' });
  await page.goto(`${place.base}/decide?tab=dead`);
  await row('the webhook was removed').getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('dialog').locator('button[type=submit]').click();
  await page.getByRole('dialog').getByText('Replayed').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('No dead letters').waitFor();
});

it('changes the settings as a document, after a plan', async () => {
  await page.goto(`${place.base}/settings?tab=config`);
  const text = page.getByLabel('Document');
  const document = await text.inputValue();
  await text.fill(document.replace('"window": 10', '"window": 20').replace(/"window": \d+/, '"window": 21'));
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByText('change carrier alpha').waitFor();
  await page.getByRole('button', { name: 'Apply 1 change' }).click();
  await page.getByText('1 change is applied').waitFor();
});

it('saves tables and settings as files', async () => {
  for (const [path, button, file] of [
    ['/carriers/alpha', 'Export CSV', 'links-alpha.csv'],
    ['/messages', 'Export CSV', 'messages.csv'],
    ['/settings?tab=config', 'Download', 'morsel.json'],
  ] as const) {
    await page.goto(`${place.base}${path}`);
    const saver = page.getByRole('button', { name: button }).or(page.getByRole('link', { name: button }));
    await saver.first().waitFor();
    const [saved] = await Promise.all([page.waitForEvent('download'), saver.first().click()]);
    assert.equal(saved.suggestedFilename(), file);
  }
});

it('shows live figures, and no page has reported an error', async () => {
  await page.goto(place.base);
  await page.getByText('Nothing holds messages up').waitFor();
  await page.getByText('1 of 1 links bound').waitFor();
  assert.deepEqual(place.complaints, []);
});

it('a session ends when its owner signs out', async () => {
  const { operatorKeys } = place.gateway.operator.snapshot();
  assert.equal(operatorKeys.size, 1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const cookies = await page.context().cookies();
  assert.deepEqual(cookies, []);
  await page.goto(`${place.base}/accounts`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

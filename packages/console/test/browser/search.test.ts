import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { messageTable } from '@morsel/gateway/state/tables/message.ts';
import { done } from '../../../gateway/test/support/done.ts';
import { furnish, openPlace, signInWith, type Place } from './browser.ts';

/* The console says that nothing matches only after the gateway has searched all messages, however many there are. */

let place: Place;
let owner: BrowserContext;
let oldest: string;

/** The number of later messages (the gateway searches 50,000 at a time), and the number that is written in a step. */
const [later, step] = [280_000, 20_000];
const receiver = '+41791112233';

before(async () => {
  place = await openPlace();
  owner = await place.open();
  await signInWith(owner, await place.gateway.consoleUrl(), 'jane');
  const { calls } = place;
  await furnish(place);
  const draft = { account: 'acme', sender: 'Morsel', receiver, text: 'hello', clientRef: 'order-7' };
  oldest = String(done(await calls.message.send(draft)).msgId);
  addLater(join(place.folder, 'morsel.db'), oldest);
});
after(() => place[Symbol.asyncDispose]());

/** Writes later copies of a message with another sender and receiver, in steps, so that the gateway can write in between. */
function addLater(file: string, id: string): void {
  using database = new DatabaseSync(file);
  database.exec('pragma busy_timeout = 10000');
  const columns = messageTable.shape.names;
  const others: { readonly [column: string]: string } = {
    id: 'id + n',
    sender: "'Later'",
    receiver: "'+41790000002'",
    client_ref: 'null',
  };
  const copied = columns.map((name) => others[name] ?? name).join(', ');
  const counted = 'with recursive k(n) as (select ? union all select n + 1 from k where n < ?)';
  const insert = database.prepare(
    `insert into message (${columns.join(', ')}) ${counted} select ${copied} from k, message where id = ?`,
  );
  for (let from = 1; from <= later; from += step) insert.run(from, from + step - 1, id);
}

async function find(page: Page, wanted: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Search' }).fill(wanted);
  await page.getByRole('combobox', { name: 'Search' }).press('Enter');
}

/** Waits until the page shows the message or that nothing matches. If the page offers to search further, does so. */
async function foundOrNot(page: Page): Promise<'found' | 'nothing'> {
  const link = page.getByRole('link', { name: oldest, exact: true }).first();
  const nothing = page.getByText('Nothing matches').first();
  const further = page.getByRole('link', { name: 'Search further' });
  for (;;) {
    await link.or(nothing).or(further).first().waitFor();
    if (await link.isVisible()) return 'found';
    if (await nothing.isVisible()) return 'nothing';
    // The link disappears during a search, so a click on it may fail.
    await further.click({ timeout: 1_000 }).catch(() => undefined);
  }
}

it('finds a message by its receiver or reference, however many messages came later', async () => {
  const page = await owner.newPage();
  for (const filter of [`receiver=${encodeURIComponent(receiver)}`, 'clientRef=order-7']) {
    await page.goto(`${place.base}/messages?${filter}`);
    assert.equal(await foundOrNot(page), 'found', filter);
  }
  for (const word of ['+41 79 111 22 33', 'order-7']) {
    await find(page, word);
    await page.getByRole('link', { name: oldest, exact: true }).first().waitFor();
  }
  await page.close();
});

it('says that nothing matches after all messages were searched', async () => {
  const page = await owner.newPage();
  await page.goto(`${place.base}/messages?receiver=%2B41799999999`);
  assert.equal(await foundOrNot(page), 'nothing');
  await page.close();
});

it('shows how far back it has searched, and continues from there', async () => {
  const page = await owner.newPage();
  // The page's clock jumps 3 s each time it is read, so that each search stops after one answer.
  await page.addInitScript('let now = 0; performance.now = () => (now += 3000);');
  await page.goto(`${place.base}/messages?receiver=${encodeURIComponent(receiver)}`);
  await page.getByText(/No match back to .*\d\d:\d\d/).waitFor();
  const content = await page.getByRole('main').innerText();
  assert.ok(!/nothing/i.test(content), content);
  assert.equal(await page.getByRole('link', { name: 'Next page' }).count(), 0);
  await page.getByRole('link', { name: 'Search further' }).click();
  await page.waitForURL(/after=\d+/);
  assert.equal(await foundOrNot(page), 'found');
  await page.close();
});

it('a filter without an index shows the same rows as its CSV', async () => {
  const page = await owner.newPage();
  await page.goto(`${place.base}/messages?sender=Morsel`);
  assert.equal(await foundOrNot(page), 'found');
  const rows = await page.locator('tbody tr').count();
  const csv = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
  const answer = await owner.request.get(`${place.base}${csv}`);
  const lines = (await answer.text()).trim().split('\n');
  assert.deepEqual([rows, lines.length - 1], [1, 1]);
  assert.ok(lines[1]?.includes(oldest), lines[1]);
  await page.close();
});

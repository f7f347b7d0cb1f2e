import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { localText } from '@morsel/api/values/typed-time.ts';
import { done } from '../../../gateway/test/support/done.ts';
import { furnish, openPlace, signInWith, type Place } from './browser.ts';

/* One type of time and one time range on all pages. Both are in the URL. */

let place: Place;
let page: Page;
const zone = 'Europe/Zurich';

before(async () => {
  place = await openPlace();
  page = await signInWith(
    await place.open({ timezoneId: 'America/New_York' }),
    await place.gateway.consoleUrl(),
    'jane',
  );
  await furnish(place);
  const draft = { account: 'acme', sender: 'Morsel', receiver: '+41791112233', text: 'hello' };
  msgId = String(done(await place.calls.message.send(draft)).msgId);
});
after(() => place[Symbol.asyncDispose]());

let msgId = '';

/** Fills the time range of the head in, and applies it. */
async function chooseRange(values: Readonly<Record<string, string>>): Promise<void> {
  await page.locator('header summary').click();
  for (const [label, text] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Apply' }).click();
}

it('times are typed as people type them, and echoed in full (R12)', async () => {
  await page.goto(`${place.base}/messages`);
  await chooseRange({ 'Time zone': zone });
  await page.waitForURL(/zone=Europe/);
  const today = localText(Date.now(), zone).slice(0, 10);
  const year = today.slice(0, 4);
  const day = Number(today.slice(8));
  const month = new Date(`${today}T12:00:00Z`).toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' });
  for (const [typed, echo, local] of [
    ['0:15', `${day} ${month}, 00:15:00`, `${today}T00:15:00`],
    ['1 Jan 12:15', '1 Jan, 12:15:00', `${year}-01-01T12:15:00`],
    ['1 Jan 2020 12:15', '1 Jan 2020, 12:15:00', '2020-01-01T12:15:00'],
    ['2020-01-02', '2 Jan 2020, 00:00:00', '2020-01-02T00:00:00'],
    ['2020-01-02T03:04Z', '2 Jan 2020, 04:04:00', '2020-01-02T04:04:00'],
  ] as const) {
    await page.locator('header summary').click();
    await page.getByLabel('Range from').fill(typed);
    await page.getByText(`= ${echo}`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL((url) => {
      const from = url.searchParams.get('from');
      return from !== null && localText(Date.parse(from), zone) === local;
    });
    await page.getByRole('link', { name: msgId }).waitFor();
  }
  await chooseRange({ 'Range from': 'soon' });
  await page.getByText('Type a time such as 12:15').waitFor();
  await page.getByLabel('Range from').fill('2h');
  await page.getByText(/^= \d/).first().waitFor();
});

it('all pages show times in the chosen zone, and none as the gateway writes them (R12)', async () => {
  const paths = ['/', '/messages', `/messages/${msgId}`, '/carriers/alpha', '/accounts/acme?tab=statement', '/decide'];
  paths.push('/accounts/acme?tab=settings', '/prices/default?tab=versions', '/settings?tab=operators', '/settings');
  paths.push(...['audit', 'refusals', 'inbound', 'cdr'].map((tab) => `/records?tab=${tab}`));
  for (const path of paths) {
    await page.goto(`${place.base}${path}`);
    await page.locator('main h1').waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    const content = await page.getByRole('main').innerText();
    assert.doesNotMatch(content, /\d{4}-\d\d-\d\d(?:T[\d:.]+|\s[\d:.]+)Z/, path);
    const times: unknown = await page.evaluate(
      `[...document.querySelectorAll('main time')].map((each) => [each.dateTime, each.textContent])`,
    );
    for (const [iso, text] of Array.isArray(times) ? times : [])
      assert.ok(String(text).endsWith(localText(Date.parse(String(iso)), zone).slice(11)), `${path}: ${iso} ${text}`);
  }
});

it('one time range holds on every page, and Back undoes a change of it', async () => {
  await page.goto(`${place.base}/messages`);
  await chooseRange({ 'Range from': '2020-01-01', 'Range to': '2020-01-02' });
  await page.getByText('Nothing matches the filter').waitFor();
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Records' }).click();
  await page.getByText('Nothing matches the filter').waitFor();
  assert.match(new URL(page.url()).search, /from=2019-12-31T23/);
  await pages.getByRole('link', { name: 'Messages' }).click();
  await page.locator('header summary').click();
  await page.getByRole('link', { name: 'Last hour' }).click();
  await page.getByRole('link', { name: msgId }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('range'), '1h');
  await page.goBack();
  await page.getByText('Nothing matches the filter').waitFor();
});

it('a wrong value in the address is left out, and the page says so', async () => {
  await page.goto(`${place.base}/messages?event=nonsense&account=acme`);
  await page.getByText('Left out, because the address has a wrong value: Event.').waitFor();
  await page.getByRole('link', { name: msgId }).waitFor();
});

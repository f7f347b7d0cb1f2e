import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { GatewayProcess } from '../../../gateway/test/support/gateway/gateway-process.ts';
import { openBrowser, signInWith, type OpenBrowser } from './browser.ts';

/* The console never shows old figures as if they were current, or an ended session as if it were still valid. */

const folder = mkdtempSync(join(tmpdir(), 'morsel-stale-'));
let gateway: GatewayProcess;
let browser: OpenBrowser;
let owner: BrowserContext;
let page: Page;

before(async () => {
  gateway = await GatewayProcess.start({ dataDir: folder });
  browser = await openBrowser();
  owner = await browser.open();
  page = await signInWith(owner, await linkOf('jane'));
});
// A failed test may have left the gateway suspended.
afterEach(() => void process.kill(gateway.pid, 'SIGCONT'));
after(async () => {
  await browser[Symbol.asyncDispose]();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function linkOf(operator: string): Promise<string> {
  await gateway.administer('POST', '/v1/operators', { operator, role: 'owner' });
  return String((await gateway.administer('POST', `/v1/operators/${operator}/sign-in-link`)).body['link']);
}

/** Whether the figures are shown without colours. */
async function isGrey(): Promise<boolean> {
  const filters = await page.evaluate(
    `[...document.querySelectorAll('main *')].filter((each) => getComputedStyle(each).filter.includes('grayscale')).length`,
  );
  return Number(filters) > 0;
}

/** The limits of R7: until old figures are grey, until new ones are shown, and until the sign-in is shown. */
const [greyMs, liveMs, signInMs] = [4_000, 2_000, 2_000];

it('every page shows the age of its figures, and is grey while the gateway is suspended', async () => {
  await page.goto(`http://localhost:${gateway.adminPort}/carriers`);
  await page.getByText(/^live, [0-3] s$/).waitFor();
  process.kill(gateway.pid, 'SIGSTOP');
  await page.getByText(/No figures for \d+ s/).waitFor({ timeout: greyMs });
  assert.equal(await isGrey(), true);
  assert.equal(await page.getByText(/^live/).count(), 0);
  await page.getByText(/No figures for 12 s/).waitFor();
  process.kill(gateway.pid, 'SIGCONT');
  await page.getByText(/^live, [0-3] s$/).waitFor({ timeout: liveMs });
  assert.equal(await page.getByText(/No figures for/).count(), 0);
  assert.equal(await isGrey(), false);
  await page.goto(`http://localhost:${gateway.adminPort}/`);
});

it('a page that never got figures says so', async () => {
  const other = await owner.newPage();
  await other.route('**/traffic/now', () => undefined);
  await other.goto(`http://localhost:${gateway.adminPort}/carriers`);
  await other.getByText(/No figures for \d+ s/).waitFor();
  await other.close();
});

it('figures that are older than a minute are not shown', async () => {
  const other = await owner.newPage();
  await other.clock.install();
  await other.goto(`http://localhost:${gateway.adminPort}/`);
  await other.getByText('messages/s').waitFor();
  process.kill(gateway.pid, 'SIGSTOP');
  await other.clock.fastForward(70_000);
  await other.getByText(/No figures for 1 min/).waitFor();
  assert.equal(await other.getByText('messages/s').count(), 0);
  process.kill(gateway.pid, 'SIGCONT');
  await other.getByText('messages/s').waitFor();
  await other.close();
});

it('after a minute without figures, no page shows a figure or a state as if it were known (R7)', async () => {
  await gateway.administer('POST', '/v1/accounts', { name: 'acme', currency: 'EUR', balance: 10 });
  const nowhere = { name: 'beta', host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' };
  await gateway.administer('POST', '/v1/carriers', nowhere);
  for (const [path, known] of [
    ['/accounts/acme', '10.00 EUR'],
    ['/carriers/beta', 'down since'],
  ] as const) {
    const other = await owner.newPage();
    await other.clock.install();
    await other.goto(`http://localhost:${gateway.adminPort}${path}`);
    await other.getByText(known).first().waitFor();
    process.kill(gateway.pid, 'SIGSTOP');
    await other.clock.fastForward(70_000);
    await other.getByText(/No figures for 1 min/).waitFor();
    assert.equal(await other.getByText(known).count(), 0, path);
    const figures = await other.locator('main dl').first().locator('dd').allInnerTexts();
    assert.ok(figures.length > 0 && figures.every((each) => each === '–'), figures.join());
    process.kill(gateway.pid, 'SIGCONT');
    await other.getByText(known).first().waitFor();
    await other.close();
  }
});

/** Refuses event streams, as the gateway does if an operator has too many of them. */
function refuseStreams(of: Page | BrowserContext): Promise<unknown> {
  return of.route('**/traffic/now', (route) =>
    route.request().headers()['accept'] === 'text/event-stream' ? route.fulfill({ status: 429 }) : route.fallback(),
  );
}

it('a tab without an event stream shows current figures all the same', async () => {
  const other = await owner.newPage();
  await refuseStreams(other);
  await other.goto(`http://localhost:${gateway.adminPort}/`);
  await other.getByText(/^live, [0-3] s$/).waitFor();
  await other.close();
});

it('a session that ended is asked for again at once, above any page', async () => {
  for (const path of ['/', '/settings?tab=config', '/accounts']) {
    const name = `op-${path.length}`;
    const context = await browser.open();
    if (path === '/accounts') await refuseStreams(context);
    const own = await signInWith(context, await linkOf(name));
    await own.goto(`http://localhost:${gateway.adminPort}${path}`);
    await own.locator('main h1').waitFor();
    await gateway.administer('POST', `/v1/operator-keys/${await sessionOf(name)}/revoke`);
    await own.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: signInMs });
    assert.equal(own.url(), `http://localhost:${gateway.adminPort}${path}`, 'above the page');
    await context.close();
  }
});

async function sessionOf(operator: string): Promise<string> {
  const { body } = await gateway.administer('GET', `/v1/operator-keys?operator=${operator}`);
  const [key]: { readonly id: string }[] = Object(body['items']);
  return key?.id ?? '';
}

/* A gateway with a simulated carrier, and a browser at its console, for tests. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { done } from '../../../gateway/test/support/done.ts';
import { startOn } from '../../../gateway/test/support/gateway/gateway.ts';
import { pricesOf } from '../../../gateway/test/support/store/prices.ts';
import type { Gateway } from '@morsel/gateway/app.ts';
import { operatorCalls } from '@morsel/gateway/edge/admin/handlers.ts';
import { startSimulator, type Simulator } from '@morsel/simulator';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** Debian's package `chromium`. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** The longest wait for anything on a page. */
const pageMs = 20_000;

export const password = 'correct horse battery';

export interface Place extends OpenBrowser {
  readonly gateway: Gateway;
  /** The data directory. */
  readonly folder: string;
  readonly calls: ReturnType<typeof operatorCalls>;
  readonly simulator: Simulator;
  /** The address of the console. */
  readonly base: string;
}

export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser;
  /** Errors that pages reported: of scripts, and of the content security policy. */
  readonly complaints: string[];
  /** A new browser without a session. */
  open(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>;
}

export async function openBrowser(): Promise<OpenBrowser> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const complaints: string[] = [];
  return {
    browser,
    complaints,
    open: async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, ...options });
      context.setDefaultTimeout(pageMs);
      context.on('weberror', (error) => complaints.push(error.error().message));
      context.on('console', (said) => {
        if (said.type() === 'error' && !/status of 4\d\d/.test(said.text())) complaints.push(said.text());
      });
      return context;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** `prepare` writes into the data directory before the start. */
export async function openPlace(
  environment: Readonly<Record<string, string>> = {},
  prepare: (folder: string) => Promise<void> = async () => {},
): Promise<Place> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'morsel-console-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  await prepare(folder);
  const simulator = await startSimulator({ port: 0 });
  opened.defer(() => simulator.close());
  const gateway = await startOn(folder, { environment, goneMs: 0 });
  opened.defer(() => gateway.stop());
  const browser = opened.use(await openBrowser());
  const closing = opened.move();
  return {
    gateway,
    folder,
    calls: operatorCalls(gateway.operator),
    simulator,
    ...browser,
    base: `http://localhost:${gateway.adminPort}`,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Signs in with a link. A new operator also chooses a name. */
export async function signInWith(context: BrowserContext, link: string, name?: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(link);
  if (name !== undefined) await page.getByLabel('Name').fill(name);
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** Adds a carrier alpha, which the simulator plays, with a route and a price for 41, and an account acme with 10 EUR. */
export async function furnish({ calls, simulator }: Place): Promise<void> {
  const carrier = { name: 'alpha', host: '127.0.0.1', port: simulator.port, systemId: 'us', password: 'secret' };
  done(await calls.carrier.add({ ...carrier, backOffMinMs: 100, backOffMaxMs: 200 }));
  done(await calls.price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 41: '0.01' }) }));
  done(await calls.route.add({ prefix: '41', carrier: 'alpha' }));
  done(await calls.account.add({ name: 'acme', currency: 'EUR', balance: '10' }));
}

type Values = Readonly<Record<string, string>>;

/** Opens the form of a button, fills it in by the labels of its fields, and presses its button `presses` times. */
export async function act(page: Page, button: string, values: Values, presses = 1): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(values)) {
    const field = dialog.getByLabel(label, { exact: true });
    const isChoice = (await field.and(page.locator('select')).count()) > 0;
    await (isChoice ? field.selectOption(value) : field.fill(value));
  }
  // All presses come in one tick, as of an impatient person: the page cannot show a progress in between.
  const press = `document.querySelector('dialog button[type=submit]').click();`;
  await page.evaluate(press.repeat(presses));
}

/** Waits until the form has closed, because the gateway accepted it. */
export async function closed(page: Page): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const axeSource = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The faults that axe finds on a page (WCAG 2.2, level AA). */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  // The content security policy forbids foreign scripts, so the browser itself adds axe to the page.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.addScriptTag({ path: axeSource });
  const found: unknown = await page.evaluate(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.map((each) => each.id + ': ' + each.nodes.map((node) => node.target).join(' | ')))`,
  );
  return Array.isArray(found) ? found.map(String) : [];
}

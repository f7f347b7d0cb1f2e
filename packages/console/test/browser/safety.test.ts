import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { adminBase } from '@morsel/api/admin/client.ts';
import { roles } from '@morsel/api/admin/access/role.ts';
import { encodeUcs2 } from '@morsel/gsm';
import { done } from '../../../gateway/test/support/done.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { accessibilityFaults, furnish, openPlace, signInWith, type Place } from './browser.ts';

/* The console must never execute a foreign text, show more than a role may see, or make a change for another site. */

let place: Place;
let owner: BrowserContext;

/** A text with markup, a script, control characters, a mark that reverses the writing direction, and a formula. */
const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202egpj\u0007=cmd|1';
const escaped = '\\u{202e}gpj\\u{7}=cmd|1';

before(async () => {
  place = await openPlace();
  owner = await place.open({ bypassCSP: true });
  await signInWith(owner, await place.gateway.consoleUrl(), 'jane');
  const { calls } = place;
  await furnish(place);
  const sent = { account: 'acme', sender: '<b>x</b>', receiver: '+41791112233', text: hostile };
  const { msgId } = done(await calls.message.send({ ...sent, clientRef: '=1+1;<b>' }));
  done(await calls.posting.adjust({ account: 'acme', amount: '1', reason: '=HYPERLINK("http://x")<i>' }));
  await place.simulator.sendInbound({
    from: '<b>x</b>',
    to: '<i>short</i>',
    octets: encodeUcs2(hostile),
    data_coding: 8,
  });
  const ofReceipt =
    'id:<b>1</b> sub:001 dlvrd:001 submit date:2611240100 done date:2611240101 stat:DELIVRD err:<i> text:';
  await place.simulator.sendInbound({ from: '<b>x</b>', to: '=1+1', octets: Buffer.from(ofReceipt), esm_class: 4 });
  const [entry] = done(await calls.audit.list({ operation: 'posting.adjust' })).items;
  const [inbound] = done(await calls.inbound.list({})).items;
  const [receipt] = done(await calls.receipt.unmatched({})).items;
  done(await calls.account.set({ account: 'acme', lowBalance: '100' }));
  await waitUntil('an alarm is open', async () => done(await calls.alarm.list({})).items.length > 0, 60_000);
  pages.push('/decide/alarms/1');
  assert.ok(entry && inbound && receipt);
  pages.push(`/messages/${msgId}`, `/records/inbound/${inbound.msgId}`);
  pages.push(`/records/audit/${entry.entry}`, `/decide/receipts/${receipt.id}`);
});
after(() => place[Symbol.asyncDispose]());

const pages = [
  '/',
  '/messages',
  '/messages?find=%2B41791112233',
  '/carriers',
  '/carriers/alpha',
  '/carriers/alpha?tab=learned',
  '/carriers/alpha?tab=settings',
  '/carriers/alpha?tab=cost',
  '/accounts',
  ...['settings', 'messages', 'statement', 'tokens', 'logins', 'webhooks', 'numbers', 'optOuts', 'rules'].map(
    (tab) => `/accounts/acme?tab=${tab}`,
  ),
  '/prices',
  '/prices/default',
  '/prices/default?tab=versions',
  '/routes',
  '/routes?tab=explain&account=acme&receiver=%2B41791112233',
  ...['alarms', 'dead', 'doubt', 'receipts', 'inbound'].map((tab) => `/decide?tab=${tab}`),
  ...['audit', 'jobs', 'refusals', 'inbound', 'cdr', 'checks'].map((tab) => `/records?tab=${tab}`),
  ...['own', 'operators', 'alarms', 'config', 'nodes', 'privacy'].map((tab) => `/settings?tab=${tab}`),
];

/** Goes to another page of the open console without loading it anew, as the console's links do. */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((drawn) => {
    history.pushState(null, '', ${JSON.stringify(path)});
    requestAnimationFrame(() => requestAnimationFrame(drawn));
  })`);
  await page.locator('main[aria-busy=false] h1').waitFor();
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
}

async function openPage(context: BrowserContext, path = '/'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${place.base}/accounts`);
  await page.locator('main h1').waitFor();
  await go(page, path);
  return page;
}

for (const theme of ['light', 'dark'] as const) {
  it(`on every page, ${theme}, hostile texts are shown as plain texts, and axe finds no fault`, async () => {
    const page = await openPage(owner);
    await page.evaluate(`localStorage.setItem('morsel-theme', '${theme}')`);
    // An earlier console offered German, and a browser may still remember that choice.
    await page.evaluate(`localStorage.setItem('morsel-language', 'de')`);
    await page.reload();
    for (const path of pages) {
      await go(page, path);
      assert.equal(await page.evaluate('window.hit'), undefined, path);
      assert.equal(await page.locator('main img, main script, main i, main b').count(), 0, path);
      if (/\/(messages|inbound)\/\d/.test(path)) await page.getByText(escaped).waitFor();
      assert.deepEqual(await accessibilityFaults(page), [], path);
    }
    await page.close();
  });
}

it('hostile texts are plain texts in every export', async () => {
  const page = await openPage(owner, '/messages');
  for (const path of ['messages.csv', 'audit.csv', 'cdrs.csv', 'inbound.csv', 'receipts/unmatched.csv']) {
    const text = String(await page.evaluate(`fetch('${adminBase}/${path}').then((answer) => answer.text())`));
    assert.ok(!/^=|,=/m.test(text), path);
  }
  await page.close();
});

it('no page is wider than a phone, and axe finds no fault in a dialog', async () => {
  const page = await openPage(owner);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of pages) {
    await go(page, path);
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 390, path);
  }
  await go(page, '/carriers');
  await page.getByRole('button', { name: 'Add a carrier' }).click();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.close();
});

describe('each role', () => {
  for (const role of roles) {
    it(`${role}: every page opens, and requests nothing that the role may not see`, async () => {
      const name = `a-${role}`;
      done(await place.calls.operator.add({ operator: name, role }));
      const context = await place.open();
      const page = await signInWith(context, done(await place.calls.operator.signInLink({ operator: name })).link);
      const failures: string[] = [];
      context.on('response', (response) => {
        if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
      });
      for (const path of pages) {
        // A page for other roles shows why it is empty if an operator types its address.
        if (!mayOpen(role, path)) continue;
        await go(page, path);
      }
      assert.deepEqual(failures, []);
      await context.close();
    });
  }
});

/** Pages to which only some roles have links, besides the owner. */
const forRoles: readonly (readonly [path: RegExp, roles: readonly string[]])[] = [
  [/^\/(messages|records\/inbound\/|decide\/receipts\/)/, ['operator', 'support']],
  [/^\/prices/, ['finance']],
  [/^\/records\/audit\//, []],
];

function mayOpen(role: string, path: string): boolean {
  const [, allowed] = forRoles.find(([start]) => start.test(path)) ?? [];
  return role === 'owner' || allowed === undefined || allowed.includes(role);
}

it('support sees masked numbers and no text', async () => {
  const context = await place.open();
  done(await place.calls.operator.add({ operator: 'sam', role: 'support' }));
  const page = await signInWith(context, done(await place.calls.operator.signInLink({ operator: 'sam' })).link);
  await page.goto(`${place.base}/messages`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await page.getByText('Your role does not see texts').waitFor();
  const content = await page.content();
  assert.ok(!content.includes('41791112233'));
  assert.ok(!content.includes('onerror'));
  assert.equal(await page.getByRole('button', { name: 'Send a message' }).count(), 0);
  await context.close();
});

it('no page of another site can use the session to change data', async () => {
  const [session = assert.fail('there is no cookie')] = await owner.cookies();
  const { name, value, secure, httpOnly, sameSite, path } = session;
  assert.deepEqual(
    { name, secure, httpOnly, sameSite, path },
    { name: `__Host-morsel-${place.gateway.adminPort}`, secure: true, httpOnly: true, sameSite: 'Strict', path: '/' },
  );
  const change = async (headers: Readonly<Record<string, string>>) =>
    fetch(`${place.base}${adminBase}/accounts/acme/suspend`, {
      method: 'POST',
      headers: { cookie: `${name}=${value}`, 'content-type': 'application/json', ...headers },
      body: '{}',
    });
  assert.equal((await change({})).status, 403, 'without Origin');
  assert.equal((await change({ origin: 'https://evil.example' })).status, 403, 'of another place');
  assert.equal((await change({ origin: place.base, 'content-type': 'text/plain' })).status, 415, 'as a form');
  assert.equal(done(await place.calls.account.show({ account: 'acme' })).status, 'active');
});

it('every answer has the headers of OWASP’s list', async () => {
  for (const [path, accept] of [
    ['/', 'text/html'],
    ['/morsel.svg', '*/*'],
    ['/admin/v1/status', '*/*'],
    ['/nowhere', '*/*'],
  ] as const) {
    const { headers } = await fetch(`${place.base}${path}`, { headers: { accept } });
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/, path);
    if (accept === 'text/html')
      assert.match(headers.get('content-security-policy') ?? '', /require-trusted-types-for 'script'/, path);
    assert.ok(!/unsafe|\*|http/.test(headers.get('content-security-policy') ?? ''), path);
    for (const [name, value] of [
      ['x-content-type-options', 'nosniff'],
      ['x-frame-options', 'DENY'],
      ['referrer-policy', 'no-referrer'],
      ['cross-origin-opener-policy', 'same-origin'],
      ['cross-origin-resource-policy', 'same-origin'],
      ['cross-origin-embedder-policy', 'require-corp'],
      ['x-permitted-cross-domain-policies', 'none'],
      ['x-powered-by', null],
      ['server', null],
    ] as const) {
      assert.equal(headers.get(name), value, `${path}: ${name}`);
    }
  }
});

it('the first page is smaller than 242 kB, and all its files come from the gateway', async () => {
  const asked: string[] = [];
  const context = await place.open();
  context.on('request', (request) => asked.push(request.url()));
  const page = await context.newPage();
  await page.goto(place.base);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(place.base)),
    [],
  );
  const dist = join(import.meta.dirname, '../../dist');
  const first = asked.map((url) => new URL(url).pathname).filter((path) => /\.(js|css|svg)$/.test(path));
  const size = [...new Set(first)].reduce((sum, path) => sum + gzipSync(readFileSync(join(dist, path))).length, 0);
  assert.ok(size < 242_000, `${size}`);
  assert.ok(readdirSync(join(dist, 'assets')).length > first.length, 'pages are loaded when they are opened');
  await context.close();
});

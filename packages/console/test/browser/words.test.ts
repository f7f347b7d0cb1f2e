import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { adminBase } from '@morsel/api/admin/client.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import { done } from '../../../gateway/test/support/done.ts';
import { furnish, openPlace, signInWith, type Place } from './browser.ts';

/* Pages and forms speak as people do (R16), and together they have every operation. */

let place: Place;
let page: Page;
/** What the crawl has read: labels and headings, and values, each with its place. */
const labels = new Map<string, string>();
const values = new Map<string, string>();
/** The operations that have a button, or were called by a page. */
const seen = new Set<string>();

const operations = Object.values(resources).flatMap(({ name, operations: all }) =>
  Object.entries<Operation>(all).map(([verb, operation]) => ({ name: `${name}.${verb}`, operation })),
);

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
  await furnish(place);
  await fill(place);
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    const path = pathname.slice(adminBase.length).replace(/\.csv$/, '');
    const found = operations.find(
      ({ operation }) =>
        operation.method === request.method() &&
        new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    if (found) seen.add(found.name);
  });
  for (const path of await paths(place)) await read(path);
});
after(() => place[Symbol.asyncDispose]());

/** Gives each list a row. */
async function fill({ calls, simulator }: Place): Promise<void> {
  const acme = { account: 'acme' };
  done(await calls.token.add(acme));
  done(await calls.login.add({ ...acme, systemId: 'acme', password: 'secret' }));
  done(await calls.webhook.add({ ...acme, url: 'https://example.com/sms', on: 'receipt' }));
  done(await calls.number.add({ number: '41790000001', account: 'acme' }));
  done(await calls.number.add({ number: '8822', shared: 'true' }));
  done(await calls.keyword.add({ number: '8822', word: 'win', account: 'acme' }));
  done(await calls.optOut.add({ ...acme, receiver: '+41790000009', reason: 'asked' }));
  done(await calls.operatorKey.add({ operator: 'jane' }));
  done(await calls.carrier.add({ name: 'beta', host: '127.0.0.1', port: 1, systemId: 'us', password: '' }));
  done(await calls.carrier.pause({ carrier: 'beta' }));
  done(await calls.account.add({ name: 'globex', currency: 'EUR' }));
  done(await calls.account.suspend({ account: 'globex' }));
  done(await calls.message.send({ ...acme, sender: 'Shop', receiver: '+41791112233', text: 'hello' }));
  await simulator.sendInbound({ from: '41791112233', to: '41799999999', text: 'hello' });
}

const tabs = (path: string, ...names: readonly string[]) => names.map((tab) => `${path}?tab=${tab}`);

async function paths({ calls }: Place): Promise<readonly string[]> {
  const [message] = done(await calls.message.find({})).items;
  const [inbound] = done(await calls.inbound.list({})).items;
  const [entry] = done(await calls.audit.list({})).items;
  return [
    '/',
    '/messages',
    `/messages/${message?.msgId}`,
    '/carriers',
    ...tabs('/carriers/alpha', 'history', 'answers', 'learned', 'settings', 'doubt', 'receipts', 'cost'),
    '/carriers/beta',
    '/accounts',
    '/accounts/globex',
    ...tabs(
      '/accounts/acme',
      'settings',
      'messages',
      'statement',
      'tokens',
      'logins',
      'webhooks',
      'numbers',
      'optOuts',
      'rules',
    ),
    '/prices',
    '/prices/default',
    '/prices/default?tab=versions',
    '/routes',
    '/routes?tab=explain&account=acme&receiver=%2B41791112233',
    ...tabs('/decide', 'alarms', 'dead', 'doubt', 'receipts', 'inbound'),
    ...tabs('/records', 'audit', 'refusals', 'inbound', 'cdr', 'checks'),
    `/records/inbound/${inbound?.msgId}`,
    `/records/audit/${entry?.entry}`,
    ...tabs('/settings', 'own', 'operators', 'alarms', 'config', 'nodes', 'privacy'),
  ];
}

/** Reads a page, and each form that a button of it opens. */
async function read(path: string): Promise<void> {
  await page.goto(`${place.base}${path}`);
  await page.locator('main[aria-busy=false] h1').waitFor();
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  await take('main', path);
  const buttons = page.locator('main [data-operation]');
  for (const name of new Set(
    await buttons.evaluateAll((all) => all.map((each) => each.getAttribute('data-operation'))),
  )) {
    if (name === null || seen.has(name)) continue;
    seen.add(name);
    await page.locator(`main [data-operation="${name}"]`).first().click();
    await take('dialog', `${path}, ${name}`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
}

const ofLabels = 'label, th, dt, legend, summary, h1, h2, h3, button, figcaption';
const ofValues = 'td:not(:has(button)), dd, option, input, [class*=badge]';

async function take(within: string, at: string): Promise<void> {
  const textsOf = (selector: string) =>
    page
      .locator(within)
      .first()
      .locator(selector)
      .evaluateAll((all) =>
        all.map((each) =>
          'value' in each && each.tagName === 'INPUT' ? String(each.value) : (each.textContent ?? '').trim(),
        ),
      );
  for (const text of await textsOf(ofLabels)) labels.set(text, at);
  for (const text of await textsOf(ofValues)) values.set(text, at);
}

const codeWords = /\b(dcs|msg|ref|num|max|min|ms ms|days days|param)\b/i;
const codeForms = /(?:^|\s)--[a-z]|""|[a-z]_[a-z]|\b[a-z]+[A-Z]/;

/** Names and texts that are data, such as operations in the audit log, durations, and names of the standards. */
const isData = (text: string) =>
  /^(?:0x|https?:|[\d+.,:\s-]*$|[\w-]+\.\w+$|\d+ min$)|@|message_payload|sar_|deliver_sm|esm_class|\{/.test(text);

it('no label is a word of the code', () => {
  assert.ok(labels.size > 200, `${labels.size}`);
  const found = [...labels].filter(([text]) => !isData(text) && (codeWords.test(text) || codeForms.test(text)));
  assert.deepEqual(found, []);
});

const isCode = (text: string) => codeWords.test(text) || codeForms.test(text) || ['none', '""'].includes(text);

it('no value is a word of the code', () => {
  assert.ok(values.size > 200, `${values.size}`);
  assert.deepEqual(
    [...values].filter(([text]) => !isData(text) && isCode(text)),
    [],
  );
});

/** Operations that the crawl does not meet, by the reason. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  'their button stands on a row that needs an alarm, a session, several nodes, or a part without its answer': [
    'alarm.ack',
    'alarm.quiet',
    'alarm.show',
    'session.close',
    'node.drain',
    'node.resume',
    'message.settle',
    'message.cancel',
    'message.inDoubt',
    'receipt.show',
    'webhook.resume',
    'operator-key.end',
    'alarmReceiver.remove',
    'alarmReceiver.set',
    'alarmReceiver.test',
  ],
  'their form is made by hand, or stands after a step': [
    'account.set',
    'config.apply',
    'config.plan',
    'message.quote',
    'message.send',
    'operator.codes',
    'operator.newCodes',
  ],
  'a list, or the page of another row, shows the same': [
    'notification.show',
    'operator.show',
    'webhook.show',
    'posting.balance',
    'refusal.summary',
    'gateway.totals',
  ],
  'they need a file or a stream, which the command line has': [
    'event.listen',
    'optOut.import',
    'price.export',
    'privacy.export',
  ],
  'they belong to the upkeep of the machine, beside the gateway’s log': [
    'config.previous',
    'gateway.confirmClock',
    'gateway.resume',
    'gateway.status',
    'privacy.rebuild',
  ],
  'their page needs a job or a change set, which jobs.test.ts and change-sets.test.ts make': [
    ...['add', 'apply', 'list', 'remove', 'replay', 'show', 'undo'].map((verb) => `changeSet.${verb}`),
    ...['list', 'show', 'stop'].map((verb) => `job.${verb}`),
    'message.reroute',
  ],
  'the console has no page for them yet': [
    'optOut.set',
    'optOut.word',
    'optOut.words',
    'price.set',
    'webhookSecret.add',
    'webhookSecret.list',
    'webhookSecret.remove',
  ],
};

it('every operation is on a page, or has a reason not to be', () => {
  const missing = operations.map(({ name }) => name).filter((name) => !seen.has(name));
  assert.deepEqual(missing.toSorted(), Object.values(exceptions).flat().toSorted());
});

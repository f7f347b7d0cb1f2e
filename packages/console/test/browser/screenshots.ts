/*
 * Takes pictures of every page of the console for docs/console: light, dark and on a phone. Before that, the gateway
 * gets some traffic.
 *
 *   npm run screenshots
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { toMicros } from '@morsel/api/values/money.ts';
import { done } from '../../../gateway/test/support/done.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { openPlace, signInWith, type Place } from './browser.ts';

const folder = join(import.meta.dirname, '../../../../docs/console');

async function liven({ calls, simulator }: Place) {
  const carrier = { host: '127.0.0.1', port: simulator.port, systemId: 'us', password: 'secret' };
  done(await calls.carrier.add({ name: 'alpha', ...carrier, links: 2 }));
  done(await calls.carrier.add({ name: 'beta', ...carrier, port: 1 }));
  const prices = ['41', '43', '44', '49'].map((prefix, at) => ({ prefix, price: toMicros(BigInt(7_500 + at * 900)) }));
  done(await calls.price.set({ list: 'default', currency: 'EUR', prices }));
  done(await calls.route.add({ prefix: '', carrier: 'alpha' }));
  done(await calls.route.add({ prefix: '41', carrier: 'alpha' }));
  done(await calls.route.add({ prefix: '41', carrier: 'beta', rank: 2 }));
  done(await calls.account.add({ name: 'acme', currency: 'EUR', balance: '120', lowBalance: '110' }));
  done(await calls.account.add({ name: 'globex', currency: 'EUR', balance: '80', creditLimit: '50' }));
  done(await calls.token.add({ account: 'acme' }));
  done(await calls.number.add({ number: '+41790000001', account: 'acme' }));
  const hook = { account: 'acme', url: 'https://127.0.0.1:8099/sms', on: 'receipt', allow: '127.0.0.1' };
  const webhook = done(await calls.webhook.add(hook));
  const texts = [
    'Your code is 481 516.',
    'Grüezi! Your parcel comes today between 14 and 16 h.',
    'Łódź: the train leaves at 9.',
  ];
  const endings = ['2233', '9902', '9942', '4455', '9960'];
  const send = async (at: number) => {
    const ending = endings[at % endings.length] ?? '';
    const to = { receiver: `+4179111${ending}`, text: texts[at % texts.length] ?? '' };
    const account = at % 4 === 0 ? 'globex' : 'acme';
    return done(await calls.message.send({ account, sender: 'Morsel', clientRef: `order-${at}`, ...to })).msgId;
  };
  for (let at = 1; at < 40; at += 1) await send(at);
  const id = String(await send(0));
  await waitUntil('it is delivered', async () => done(await calls.message.show({ id })).event === 'delivered');
  done(await calls.webhook.remove({ webhook: webhook.id }));
  done(await calls.posting.adjust({ account: 'acme', amount: '-15', reason: 'invoice 7' }));
  await simulator.sendInbound({ from: '41791112233', to: '41790000001', text: 'STOP' });
  const receipt = 'id:99 sub:001 dlvrd:001 submit date:2611240100 done date:2611240101 stat:DELIVRD err:000 text:';
  await simulator.sendInbound({ from: '41791112233', to: 'Morsel', octets: Buffer.from(receipt), esm_class: 4 });
  await waitUntil('an alarm is open', async () => done(await calls.alarm.list({})).items.length > 0, 60_000);
  const [inbound] = done(await calls.inbound.list({})).items;
  const [unmatched] = done(await calls.receipt.unmatched({})).items;
  const [entry] = done(await calls.audit.list({ operation: 'posting.adjust' })).items;
  return { id, inbound: inbound?.msgId, unmatched: unmatched?.id, entry: entry?.entry };
}

await using place = await openPlace();
const { id, inbound, unmatched, entry } = await liven(place);
const { calls } = place;
const everyMs = 40;
const traffic = setInterval(() => {
  void calls.message.send({ account: 'globex', sender: 'Morsel', receiver: '+41791112233', text: 'Hello' });
}, everyMs);
const pages: Readonly<Record<string, string>> = {
  overview: '/',
  messages: '/messages',
  message: `/messages/${id}`,
  carriers: '/carriers',
  carrier: '/carriers/alpha',
  accounts: '/accounts',
  account: '/accounts/acme',
  statement: '/accounts/acme?tab=statement',
  tokens: '/accounts/acme?tab=tokens',
  webhooks: '/accounts/acme?tab=webhooks',
  prices: '/prices',
  'price-list': '/prices/default',
  routes: '/routes',
  explain: '/routes?tab=explain&account=acme&receiver=%2B41791112233',
  alarms: '/decide',
  alarm: '/decide/alarms/1',
  'dead-letters': '/decide?tab=dead',
  'unmatched-receipt': `/decide/receipts/${unmatched}`,
  audit: '/records',
  'audit-entry': `/records/audit/${entry}`,
  inbound: `/records/inbound/${inbound}`,
  checks: '/records?tab=checks',
  'own-settings': '/settings',
  operators: '/settings?tab=operators',
  config: '/settings?tab=config',
};
/** The time of live figures that the charts of the overview need. */
const liveMs = 15_000;
const stillMs = 500;
mkdirSync(folder, { recursive: true });
const owner = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
const state = await owner.context().storageState();
for (const [look, options] of Object.entries({
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
} as const)) {
  const stranger = await place.open(options);
  const signIn = await stranger.newPage();
  await signIn.goto(`${place.base}/sign-in`);
  await signIn.getByLabel('Password').waitFor();
  await signIn.screenshot({ path: join(folder, `sign-in-${look}.png`) });
  await stranger.close();
  const context = await place.open({ ...options, storageState: state });
  const page = await context.newPage();
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`${place.base}${path}`);
    await page.locator('main[aria-busy=false] h1').waitFor();
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(name === 'overview' ? liveMs : stillMs);
    await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
  }
  await context.close();
}
clearInterval(traffic);

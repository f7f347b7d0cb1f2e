import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AnyResult, Command, CommandOf } from '../../../../src/state/commands.ts';
import { toMessageId, type MessageId } from '../../../../src/core/base/message-id.ts';
import type { ClaimedPart } from '../../../../src/state/decide/message/claim.ts';
import { inboundWaitMs } from '../../../../src/core/message/inbound.ts';
import { carrierIdKey } from '../../../../src/core/message/carrier-id.ts';
import type { Answer } from '../../../../src/core/message/outcome.ts';
import { eventOfReceipt, type CarrierState } from '../../../../src/core/message/receipt.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { refundPolicies } from '@morsel/api/values/account.ts';
import { callbackEvents, doubtSettlements } from '@morsel/api/values/message.ts';
import { inDoubtPolicies } from '@morsel/api/values/routing.ts';
import { addNumber, write } from '../../clients/inbound-messages.ts';
import { operate } from '../operate.ts';
import { carrierCommand, setCarrierCommand } from '../routing-commands.ts';
import { attemptsSql, helloContent, TestStore } from '../store.ts';
import { lookAtPrices, priceMakers, readMs } from './story-prices.ts';
import { lookAtCost, routeMakers } from './story-routes.ts';
import { accountMakers, oneOf, type Said } from './story-accounts.ts';
import { countsText, lookAtAccounts, lookAtNotifications, notificationMakers } from './story-notifications.ts';

/*
 * For tests: a small language for what happens to messages. Lines, or statements with `;` between them, are:
 *
 *   accept 3 beta expires=10m      a message of three parts, which beta claims in the same commit
 *   accept callback=sent,expired   a message whose callback gets these events; `callbacks` are its notifications
 *   1.2 accepted id=a              the answer to part 2 of message 1; without a part, to part 1
 *   claim beta 5 up=alpha,beta -> 1.1 1.2
 *   receipt a UNDELIVERABLE by=beta -> matched
 *   accept & cancel 1              two commands in one transaction
 *   text a REJECTED from=+4179     a receipt that nothing but its text marks
 *   part 2/3 world                 a part of an inbound message; `write Hello_world` is a message of one part
 *   accept key=k hash=2            with an idempotency key; `receipts=all` are receipts for a session
 *   wait 30s                       the clock goes on
 *   states = sent canceled         of all parts, in their order; other columns of theirs: `part tries = 0 1`
 *   events = sent delivered        of all messages, in their order; so `errors`, `notes`; `texts` of inbound ones
 *   rows entry kind=refund = 1     the number of such rows
 *
 * After `->` are the results of the commands. An answer is for the last attempt of its part, from its carrier.
 */

const carriers = ['alpha', 'beta', 'gamma'];
const outcomes = [
  'accepted',
  'busy',
  'temporary',
  'refused',
  'in_doubt',
  'unsent',
  'unsendable',
] as const satisfies readonly Answer['outcome'][];
const scopes = ['message', 'sender', 'carrier'] as const satisfies readonly Answer['scope'][];
const wantedReceipts = ['none', 'all', 'failures', 'successes'] as const;
const idRules = ['auto', 'same', 'hex-answer', 'hex-receipt'] as const;
const firstMessage = 1_001;

/** A callback, but for its events. */
export const helloCallback = {
  api: 'http',
  method: 'post-json',
  url: 'https://example.com/?key=1',
  fields: {},
} as const;

/** Makes a test of each story, on its own store. The ledger must be correct at the end of the story. */
export function stories(
  all: { readonly [about: string]: string },
  open: () => Promise<TestStore> = () => TestStore.open(),
  atEnd: (store: TestStore) => Promise<void> = async () => {},
): void {
  for (const [about, text] of Object.entries(all)) {
    it(about, async () => {
      await using store = await open();
      await tell(store, text);
      await atEnd(store);
      assert.deepEqual([store.faults, await store.moneyFaults()], [[], []]);
    });
  }
}

/** A new store, after everything in this text has happened. */
export async function opened(text: string): Promise<TestStore> {
  const store = await TestStore.open();
  await tell(store, text);
  return store;
}

export async function tell(store: TestStore, text: string): Promise<void> {
  for (const line of text.split(/[\n;]/)) if (line.trim() !== '') await tellLine(store, line.trim());
}

async function tellLine(store: TestStore, line: string): Promise<void> {
  const {
    act = '',
    how,
    expected = '',
  } = /^(?<act>.*?)(?: (?<how>->|=)(?: (?<expected>.*))?)?$/.exec(line)?.groups ?? {};
  const found = how === '=' ? await look(store, readSaid(act)) : await doAll(store, act.split(' & ').map(readSaid));
  if (how !== undefined) assert.deepEqual({ line, found }, { line, found: expected });
}

function isOption(word: string): boolean {
  return /^\w+=/.test(word);
}

function readSaid(text: string): Said {
  const all = text.trim().split(/\s+/);
  const options = all.filter(isOption).map((word): [string, string] => {
    const at = word.indexOf('=');
    return [word.slice(0, at), word.slice(at + 1)];
  });
  return { words: all.filter((word) => !isOption(word)), options: new Map(options) };
}

async function doAll(store: TestStore, all: readonly Said[]): Promise<string> {
  const [first] = all;
  if (first?.words[0] === 'wait') {
    store.now += readMs(first.words[1]);
    return '';
  }
  if (first?.words[0] === 'restart') {
    await store.restart();
    return '';
  }
  const commands: Command[] = [];
  for (const each of all) commands.push(await commandOf(store, each));
  const results = await store.apply(...commands);
  return results
    .map((result) => answerIn(result, store))
    .join(' & ')
    .trim();
}

async function commandOf(store: TestStore, said: Said): Promise<Command> {
  const [word = '', ...words] = said.words;
  if (/^\d/.test(word)) return answer(store, word, { words, options: said.options });
  const make = makers[word] ?? assert.fail(`no command is named ${word}`);
  return make(store, { words, options: said.options });
}

const makers: { readonly [word: string]: (store: TestStore, said: Said) => Command | Promise<Command> } = {
  ...accountMakers,
  ...notificationMakers,
  ...priceMakers,
  ...routeMakers,
  accept: acceptOf,
  claim: (store, { words, options }) => ({
    kind: 'claim',
    at: store.now,
    ...byLink(store, words),
    up:
      options.get('up') === 'all' ? [1, 2, 3] : (options.get('up') ?? '').split(',').filter(Boolean).map(carrierNamed),
    max: numberIn(words) ?? 10,
  }),
  receipt: receiptOf,
  text: textOf,
  write: (store, { words: [text = ''], options }) => writtenOf(store, text, options),
  part: (store, { words: [place = '', text = ''], options }) => {
    const [number = 1, total = 1] = place.split('/').map(Number);
    const kind = oneOf(['8-bit', '16-bit', 'apart'], options.get('kind') ?? '8-bit');
    const concatenation = { kind, reference: Number(options.get('ref') ?? 7), total, number };
    return { ...writtenOf(store, text, options), concatenation };
  },
  'expire-inbound': (store, { words }) => {
    const ids = Array.from({ length: numberIn(words) ?? 20 }, () => store.ownId());
    return { kind: 'expire-inbound', at: store.now, before: store.now - inboundWaitMs, ids };
  },
  number: (_store, { words: [number = '', account = 'acme'] }) =>
    addNumber(number, account === 'none' ? null : account),
  texts: (store, { words: [word] }) =>
    setCarrierCommand({ at: store.now, profile: { textReceipts: oneOf(['on', 'off'], word) } }),
  'default-sender': (store, { words: [word] }) =>
    setCarrierCommand({ at: store.now, profile: { sourceAddressDefault: word ?? null } }),
  rule: (store, { words: [carrier = '', word] }) =>
    setCarrierCommand({ at: store.now, carrier, settings: { idRule: oneOf(idRules, word) } }),
  refunds: (store, { words: [word] }) => {
    const given = { account: 'acme', refundPolicy: oneOf(refundPolicies, word) };
    return operate('account.set', given, { at: store.now, made: {} });
  },
  cancel: (store, { words: [message], options }) => {
    const account = options.get('account');
    return { kind: 'cancel', at: store.now, message: messageId(message), account: account ? Number(account) : null };
  },
  expire: (store, { words: [after] }) => ({ kind: 'expire', at: store.now + readMs(after), max: 10 }),
  begin: (store) => ({ kind: 'begin', at: store.now }),
  reroute: (store, { words: [message], options }) => {
    const to = { message: messageId(message), route: Number(options.get('route') ?? 2) };
    const forgets = oneOf(['all', 'rounds', 'nothing'], options.get('forgets') ?? 'all');
    return { kind: 'reroute', at: store.now, messages: [{ ...to, eligible: options.get('eligible') ?? '' }], forgets };
  },
  settle: (store, { words: [message, as], options }) => {
    const part = options.get('part');
    const given = {
      id: String(messageId(message)),
      as: oneOf(doubtSettlements, as),
      part: part ? Number(part) : undefined,
    };
    return operate('message.settle', given, { at: store.now });
  },
  carrier: (store, { words: [name = ''], options }) =>
    carrierCommand({ at: store.now, name, inDoubt: oneOf(inDoubtPolicies, options.get('inDoubt') ?? 'resend') }),
  doubts: (store, { words: [carrier = '', policy] }) =>
    setCarrierCommand({ at: store.now, carrier, settings: { inDoubt: oneOf(inDoubtPolicies, policy) } }),
  rematch: (store) => ({ kind: 'rematch', at: store.now, max: 10 }),
  'queue-due': (store, { words: [message], options }) => {
    const route = options.get('route') ?? '1';
    const due = { message: messageId(message), route: route === 'null' ? null : Number(route) };
    return { kind: 'queue-due', at: store.now, messages: [{ ...due, eligible: options.get('eligible') ?? '' }] };
  },
};

function acceptOf(store: TestStore, { words, options }: Said): CommandOf<'accept'> {
  const dueAt = store.now + readMs(options.get('due'));
  const [receiver, sender, eligible] = ['receiver', 'sender', 'eligible'].map((name) => options.get(name));
  const asked = options.get('callback')?.split(',');
  const [receipts, key] = [options.get('receipts'), options.get('key')];
  const hash = new Uint8Array(32).fill(Number(options.get('hash') ?? 1));
  return store.accept({
    numParts: numberIn(words) ?? 1,
    account: Number(options.get('account') ?? 1),
    dueAt,
    expiresAt: dueAt + readMs(options.get('expires') ?? '60s'),
    claim: words.some(isCarrier) ? byLink(store, words) : null,
    route: Number(options.get('route') ?? 1),
    ...(receiver !== undefined && { receiver }),
    ...(sender !== undefined && { sender }),
    ...(eligible !== undefined && { eligible }),
    ...(receipts !== undefined && { source: 'smpp', wantedReceipts: oneOf(wantedReceipts, receipts) }),
    ...(key !== undefined && { idempotency: { key, hash } }),
    ...(asked && { callback: { ...helloCallback, events: asked.map((event) => oneOf(callbackEvents, event)) } }),
  });
}

async function answer(store: TestStore, place: string, { words: [word = ''], options }: Said): Promise<Command> {
  const [message, part = '1'] = place.split('.');
  const id = messageId(message);
  const sql = `select number, carrier from ${attemptsSql} as attempt where message = ? and part = ? order by number desc`;
  const [last] = await store.rows(sql, id, Number(part));
  const carrierId = options.get('id') ?? null;
  const [amount, currency = 'EUR'] = options.get('cost')?.split(':') ?? [];
  return store.outcome(id, {
    ...(amount !== undefined && { cost: amount === 'none' ? null : { amount: toMicros(BigInt(amount)), currency } }),
    part: Number(part),
    attempt: Number(options.get('attempt') ?? last?.['number'] ?? 1),
    carrier: options.has('by') ? carrierIn(options) : Number(last?.['carrier'] ?? 1),
    lease: store.lease,
    outcome: oneOf(outcomes, word),
    scope: oneOf(scopes, options.get('scope') ?? (word === 'busy' ? 'carrier' : 'message')),
    code: options.get('error') ?? null,
    carrierId,
    carrierIdKey: carrierId === null ? null : carrierIdKey(carrierId),
  });
}

function receiptOf(store: TestStore, { words: [id = '', word = 'DELIVERED'], options }: Said): CommandOf<'receipt'> {
  const [sender, receiver] = ['from', 'to'].map((name) => options.get(name));
  return store.receipt(id, {
    carrier: carrierIn(options),
    carrierIdKey: carrierIdKey(id),
    state: isState(word) ? word : null,
    errorCode: options.get('error') ?? null,
    ...(sender !== undefined && { sender }),
    ...(receiver !== undefined && { receiver }),
  });
}

/** The command for a receipt that nothing but its text marks. */
function textOf(store: TestStore, said: Said): CommandOf<'receipt'> {
  const sender = said.options.get('to') ?? helloContent.sender;
  const receiver = said.options.get('from') ?? helloContent.receiver;
  const receipt = receiptOf(store, { ...said, options: new Map() });
  return { ...receipt, sender, receiver, isText: true, octets: new Uint8Array([0x69, 0x64, 0x3a]) };
}

/** The command for an inbound message; `_` in its text is a space. */
function writtenOf(store: TestStore, text: string, options: Said['options']): CommandOf<'inbound'> {
  const coded = options.get('coding') === 'octets' ? ({ coding: 'binary', code: 4 } as const) : {};
  return write(store, options.get('to') ?? helloContent.sender, text.replaceAll('_', ' '), {
    sender: options.get('from') ?? helloContent.receiver,
    carrier: carrierIn(options),
    ...coded,
  });
}

/** The result of a command in a word or two. An error is its code; times are in ms from the current time. */
function answerIn(result: AnyResult, store: TestStore): string {
  if (!result.ok) return result.error.code;
  const value: object = typeof result.value === 'object' && result.value !== null ? result.value : {};
  if ('entry' in value && 'balance' in value) return String(value.balance);
  if ('replayed' in value || 'removed' in value) return countsText(value);
  if ('became' in value) return String(value.became);
  if ('status' in value) return String(value.status);
  if ('clientBalance' in value) return String(value.clientBalance);
  if ('refunded' in value && 'parts' in value) return `${String(value.parts)} for ${String(value.refunded)}`;
  if ('parts' in value && Array.isArray(value.parts)) return value.parts.map(placeOf).join(' ');
  if ('messages' in value) return String(value.messages);
  if ('moved' in value) return String(value.moved);
  if ('due' in value) {
    const on = 'place' in value && typeof value.place === 'object' && value.place !== null && 'route' in value.place;
    return value.due === null ? 'never' : `+${Number(value.due) - store.now}${on ? ' elsewhere' : ''}`;
  }
  return 'ok';
}

/** The message and part, such as `1.2`, and the sender if it is not the usual one. */
function placeOf({ message, number, sender }: ClaimedPart): string {
  const place = `${message - firstMessage + 1}.${number}`;
  return sender === helloContent.sender ? place : `${place}:${sender}`;
}

async function look(store: TestStore, { words: [word = '', ...words], options }: Said): Promise<string> {
  const column = word === 'part' ? words[0] : columns[word];
  if (column !== undefined) {
    const which = word === 'events' || word === 'errors' ? 'where number = 1 ' : '';
    return allOf(store, column, `part ${which}order by message, number`);
  }
  if (word === 'texts') {
    const rows = await store.rows('select id, complete from inbound order by id');
    const texts = rows.map(async ({ id, complete }) => `${await store.inboundText(id)}${complete === 1 ? '' : '…'}`);
    return (await Promise.all(texts)).join(' | ');
  }
  if (word === 'notes') return allOf(store, 'detail', 'note order by id');
  if (word === 'alerts')
    return allOf(
      store,
      'alert',
      "(select id, threshold || ':' || balance as alert from notification) as alerts order by id",
    );
  if (word === 'callbacks') return allOf(store, 'event', 'notification where is_callback = 1 order by id');
  if (word === 'cost') return lookAtCost(store, words[0]);
  if (word === 'prices-of') return lookAtPrices(store, { words, options });
  if (word === 'notifications') return lookAtNotifications(store, words[0]);
  if (word === 'whose' || word === 'out') return lookAtAccounts(store, word, words[0]);
  if (word === 'balance') return String(await store.balance(numberIn(words) ?? 1));
  assert.equal(word, 'rows', `there is no ${word} to look at`);
  const where = [...options].map(([name, value]) => ` and ${name} = '${value}'`).join('');
  return String(await store.value(`select count(*) from ${words[0]} where 1 = 1${where}`));
}

const columns: { readonly [word: string]: string } = {
  states: 'state',
  events: 'report_event',
  errors: 'report_error_code',
};

async function allOf(store: TestStore, column: string, of: string): Promise<string> {
  return (await store.rows(`select ${column} from ${of}`)).map((row) => row[column] ?? '-').join(' ');
}

function isState(word: string): word is CarrierState {
  return word in eventOfReceipt;
}

/** The link of a claim. The word `whole` means that the link sends the whole message in one request. */
function byLink(store: TestStore, words: readonly string[]) {
  const carrier = carrierNamed(words.find(isCarrier) ?? 'alpha');
  return { carrier, link: 1, lease: store.lease, isWhole: words.includes('whole') };
}

function isCarrier(word: string): boolean {
  return carriers.includes(word);
}

function carrierNamed(name: string): number {
  return carriers.indexOf(name) + 1;
}

function carrierIn(options: Said['options']): number {
  return carrierNamed(options.get('by') ?? 'alpha');
}

function numberIn(words: readonly string[]): number | undefined {
  const word = words.find((each) => /^\d+$/.test(each));
  return word === undefined ? undefined : Number(word);
}

/** The id of a message of the story, by its number from 1 on. */
function messageId(word = '1'): MessageId {
  return toMessageId(firstMessage - 1 + Number(word));
}

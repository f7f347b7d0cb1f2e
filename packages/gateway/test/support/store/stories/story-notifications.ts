/* For tests: the words of stories (story.ts) about inbound messages and their notifications. */

import assert from 'node:assert/strict';
import type { Command } from '../../../../src/state/commands.ts';
import { toMessageId } from '../../../../src/core/base/message-id.ts';
import { addKeyword, removeKeyword, removeNumber, write } from '../../clients/inbound-messages.ts';
import { optOut, setHandling, setWord } from '../../gateway/opt-outs.ts';
import { addWebhook, loginWithoutPassword, operate } from '../operate.ts';
import { helloContent, type TestStore } from '../store.ts';
import { oneOf, type Said } from './story-accounts.ts';

type Maker = (store: TestStore, said: Said) => Command | Promise<Command>;

/*
 *   webhook acme taxi              a webhook for the account, for a keyword if one is named
 *   answered 1                     the first inbound message was answered; `lost ok` expects the repeat of a message
 *   tried 2 delivered              an attempt of the second notification, which is given up if it was not delivered
 *   replay 1 2 reroute -> replayed=2 rerouted=1
 *   whose 1 = acme keyword taxi    the account of the first inbound message, or of all of them, and how it was found
 *   word stop_acme stop beta       an opt-out word of beta; `out = beta` are the accounts of the opt-out list
 *   notifications 1 = acme.1 waiting acme.1 dead
 *                                  the notifications of the first inbound message, or `all` of messages
 */
export const notificationMakers: { readonly [word: string]: Maker } = {
  login: ({ now: at }, { words: [systemId = 'acme', account = 'acme'] }) =>
    operate('login.add', { account, systemId }, { at, made: loginWithoutPassword }),
  'no-login': ({ now: at }, { words: [systemId = ''] }) => operate('login.remove', { systemId }, { at }),
  webhook: ({ now: at }, { words: [account = 'acme', keyword], options }) =>
    addWebhook(at, { account, keyword, on: [oneOf(['inbound', 'receipt', 'alert'], options.get('on') ?? 'inbound')] }),
  'no-webhook': ({ now: at }, { words: [webhook] }) => operate('webhook.remove', { webhook: Number(webhook) }, { at }),
  keyword: (_store, { words: [number = '', word = '', account = ''] }) => addKeyword({ number, word }, account),
  'no-number': (_store, { words: [number = ''] }) => removeNumber(number),
  'no-keyword': (_store, { words: [number = '', word = ''] }) => removeKeyword({ number, word }),
  'opt-out': ({ now }, { words: [receiver = ''], options }) =>
    optOut('add', { receiver, sender: options.get('sender') ?? '' }, now),
  'opt-in': ({ now }, { words: [receiver = ''], options }) =>
    optOut('remove', { receiver, sender: options.get('sender') ?? '' }, now),
  word: (_store, { words: [word = '', means, account] }) =>
    setWord(word.replaceAll('_', ' '), oneOf(['stop', 'start', 'nothing', 'usual'], means), account),
  words: (_store, { words: [words, account] }) => setHandling({ words: oneOf(['on', 'off'], words) }, account),
  scope: (_store, { words: [scope, account] }) => setHandling({ scope: oneOf(['account', 'sender'], scope) }, account),
  tried: async (store, { words: [place, word] }) => {
    const notification = (await store.ids('notification'))[Number(place) - 1] ?? assert.fail(`no ${place}`);
    const isDelivered = word === 'delivered';
    return { kind: 'notification-tried', at: store.now, notification, due: null, isDelivered, by: 'test', detail: '' };
  },
  replay: async (store, { words }) => {
    const known = await store.ids('inbound');
    const ids = words.filter((word) => word !== 'reroute').map((place) => toMessageId(known[Number(place) - 1] ?? 42));
    const given = { reroute: words.includes('reroute') };
    return operate('inbound.replay', given, { at: store.now, made: { ids, next: null, until: null } });
  },
  answered: async (store, { words: [place] }) => {
    const before = toMessageId((await store.ids('inbound'))[Number(place)] ?? store.ownId());
    return { kind: 'inbound-answered', at: store.now, before };
  },
  lost: (store, { words: [text = ''] }) => {
    return { kind: 'expect-repeat', at: store.now, inbound: write(store, helloContent.sender, text) };
  },
  sweep: ({ now: at }, { words: [max] }) => ({ kind: 'sweep', at, before: at, max: Number(max) }),
  'fail-webhook': async (store, { words: [place, how] }) => {
    const notification = (await store.ids('notification'))[Number(place) - 1] ?? assert.fail(`no ${place}`);
    const due = store.now + 5_000;
    const [kind, isGone] = ['notification-tried', how === 'gone'] as const;
    return {
      kind,
      at: store.now,
      notification,
      due,
      isDelivered: false,
      by: 'webhook',
      detail: '',
      webhook: 1,
      isGone,
    };
  },
  'webhook-is': ({ now: at }, { words: [verb] }) =>
    operate(`webhook.${oneOf(['pause', 'resume'], verb)}`, { webhook: 1 }, { at }),
  'replay-dead': ({ now: at }) => operate('webhook.replay', { all: true }, { at }),
};

/** What was done, by how often: `replayed=1 rerouted=1`. */
export function countsText(value: object): string {
  const counts = Object.entries(value).filter(([, count]) => typeof count === 'number' && count > 0);
  return counts.map(([name, count]) => `${name}=${count}`).join(' ');
}

const accountSql = "coalesce((select name from account where account.id = account), '-')";

export async function lookAtNotifications(store: TestStore, of = 'all'): Promise<string> {
  if (of === 'all')
    return textOf(await store.rows('select event, by_session, state from notification order by subject, id'));
  const id = (await store.ids('inbound'))[Number(of) - 1] ?? 0;
  const sql = `select ${accountSql} || '.' || webhook as webhook, state from notification where subject = ? order by id`;
  return textOf(await store.rows(sql, id));
}

/** The accounts of the inbound messages, or of the opt-out list. */
export async function lookAtAccounts(store: TestStore, word: string, of = 'all'): Promise<string> {
  if (word === 'out') {
    const sql = 'select name, sender from opt_out join account on account.id = opt_out.account order by account.id';
    return (await store.rows(sql)).map((row) => `${String(row['name'])} ${String(row['sender'])}`.trim()).join(' ');
  }
  const sql = `select ${accountSql} as name, coalesce(matched_by, '-') as by, coalesce(keyword, '') as word from inbound`;
  const found = await store.rows(`${sql} order by id`);
  return textOf(of === 'all' ? found : found.slice(Number(of) - 1, Number(of)));
}

function textOf(rows: readonly object[]): string {
  return rows.map((row) => Object.values(row).join(' ').trim()).join(' | ');
}

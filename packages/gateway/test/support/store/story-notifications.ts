/* For tests: the words of stories (story.ts) about inbound messages and their notifications. */

import assert from 'node:assert/strict';
import type { Command } from '../../../src/state/commands.ts';
import { toMessageId } from '../../../src/core/base/message-id.ts';
import { addKeyword, removeNumber } from '../clients/inbound-messages.ts';
import { optOut } from '../gateway/opt-outs.ts';
import { addWebhook, loginWithoutPassword, operate } from './operate.ts';
import type { TestStore } from './store.ts';

interface Said {
  readonly words: readonly string[];
}

type Maker = (store: TestStore, said: Said) => Command | Promise<Command>;

/*
 *   webhook acme taxi              a webhook for the account, for a keyword if one is named
 *   tried 2 delivered              an attempt of the second notification, which is given up if it was not delivered
 *   replay 1 2 reroute -> replayed=2 rerouted=1
 *   whose 1 = acme keyword taxi    the account of the first inbound message, and how it was found
 *   notifications 1 = acme.1 waiting acme.1 dead
 *                                  the notifications of the first inbound message, or `all` of messages
 */
export const notificationMakers: { readonly [word: string]: Maker } = {
  login: ({ now: at }, { words: [systemId = 'acme', account = 'acme'] }) =>
    operate('login.add', { account, systemId }, { at, made: loginWithoutPassword }),
  'no-login': ({ now: at }, { words: [systemId = ''] }) => operate('login.remove', { systemId }, { at }),
  webhook: ({ now: at }, { words: [account = 'acme', keyword] }) => addWebhook(at, { account, keyword }),
  'no-webhook': ({ now: at }, { words: [webhook] }) => operate('webhook.remove', { webhook: Number(webhook) }, { at }),
  keyword: (_store, { words: [number = '', word = '', account = ''] }) => addKeyword({ number, word }, account),
  'no-number': (_store, { words: [number = ''] }) => removeNumber(number),
  'opt-out': ({ now }, { words: [receiver = ''] }) => optOut('add', { receiver }, now),
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
  'replay-dead': ({ now: at }) => operate('webhook.replay', { all: true }, { at }),
};

/** What a replay did, without what it did not: `replayed=1 rerouted=1`. */
export function replayedText(value: object): string {
  const counts = Object.entries(value).filter(([, count]) => typeof count === 'number' && count > 0);
  return counts.map(([name, count]) => `${name}=${count}`).join(' ');
}

const accountSql = "coalesce((select name from account where account.id = account), '-')";

export async function lookAtNotifications(store: TestStore, word: string, of = 'all'): Promise<string> {
  const texts = (rows: readonly object[]) => rows.map((row) => Object.values(row).join(' ')).join(' | ');
  if (of === 'all')
    return texts(await store.rows('select event, by_session, state from notification order by subject, id'));
  const id = (await store.ids('inbound'))[Number(of) - 1] ?? 0;
  if (word === 'whose') {
    const sql = `select ${accountSql} as name, coalesce(matched_by, '-') as by, coalesce(keyword, '') as word from inbound`;
    return texts(await store.rows(`${sql} where id = ?`, id)).trim();
  }
  const sql = `select ${accountSql} || '.' || webhook as webhook, state from notification where subject = ? order by id`;
  return texts(await store.rows(sql, id));
}

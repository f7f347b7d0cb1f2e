/* Delivers dead letters again. */

import type { InputOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import { ok } from '@morsel/api/values/result.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import { noAccount, noWebhook } from '../../../core/named.ts';
import { openInbound } from '../../rows/inbound-content.ts';
import type { Rows } from '../../rows/rows.ts';
import { accountByName } from '../../tables/account.ts';
import { inboundById } from '../../tables/inbound.ts';
import { search, type RowLookup } from '../../tables/lookup.ts';
import { notificationTable, type NotificationRow } from '../../tables/notification.ts';
import { webhookById } from '../../tables/webhook.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { conflict, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { notifyAgain } from './notification.ts';

/** The most dead letters that one commit reads. Other commits wait some milliseconds for it. */
const replayMax = 500;

const only = search<number[]>()('notification.only', notificationTable);
const ofWebhook = search<number[]>()('notification.dead-of-webhook', notificationTable);
const ofAccount = search<number[]>()('notification.dead-of-account', notificationTable);
const all = search<number[]>()('notification.dead', notificationTable);

type Input = InputOf<OperationNamed<'webhook.replay'>>;
/** The dead letters that a request selects. All given members must match. */
type Wanted = Omit<Input, 'account' | 'all' | 'after'> & { readonly account: number | undefined };

/** Delivers dead letters again, with the same ids, to the current destinations: one step, in the order of the ids. */
const replay: Decision<'webhook.replay'> = (rows, { after, ...input }, { at }) => {
  const read = readWanted(rows, input);
  if (!read.ok) return read;
  const wanted = read.value;
  const [lookup, ...values] = lookOf(wanted);
  const looked = rows.all(lookup, ...values, Number(after), replayMax);
  const { notification } = wanted;
  if (notification !== undefined) {
    const [first] = looked;
    if (!first) return missing(`there is no notification ${notification}`);
    if (first.state !== 'dead')
      return conflict(`only dead letters can be replayed: notification ${notification} is ${first.state}`);
  }
  const fitting = looked.filter((row) => isWanted(row, wanted));
  const replayed = fitting.filter((row) => {
    const about = row.kind === 'inbound' ? rows.one(inboundById, toMessageId(row.subject)) : undefined;
    return notifyAgain(rows, { row, about: about && openInbound(rows, about) }, at);
  });
  const onlyByWebhook = replayed.flatMap(({ webhook, bySession }) => (webhook === null || bySession ? [] : webhook));
  const stopped = [...new Set(onlyByWebhook)].flatMap((webhook) => {
    const { status = 'active' } = rows.one(webhookById, webhook) ?? {};
    return status === 'active' ? [] : { webhook, status };
  });
  const next = looked.length < replayMax ? undefined : looked.at(-1);
  return ok({
    replayed: replayed.length,
    left: fitting.length - replayed.length,
    stopped,
    next: next ? String(next.id) : null,
  });
};

export const replayDecisions = { 'webhook.replay': { decide: replay, isSetting: false } } as const;

/** An unknown owner in the request is refused. A removed webhook is accepted, because it still has notifications. */
function readWanted(rows: Rows, { all: isAll, account: name, ...filter }: Omit<Input, 'after'>): Decided<Wanted> {
  const { since, until, webhook } = filter;
  const isNarrowed = [name, ...Object.values(filter)].some((value) => value !== undefined);
  if (!isNarrowed && !isAll)
    return invalid('all', 'must be given if no other option says which dead letters to replay');
  if (isNarrowed && isAll)
    return invalid('all', 'must not be combined with other options that say which dead letters to replay');
  if (since !== undefined && until !== undefined && until <= since) return invalid('until', 'must be after since');
  const account = name === undefined ? undefined : rows.one(accountByName, name);
  if (name !== undefined && !account) return noAccount(name);
  if (webhook !== undefined && !rows.one(webhookById, webhook)) return noWebhook(webhook);
  return ok({ ...filter, account: account?.id });
}

/** Finds dead letters in the order of their ids, by the index with the fewest rows to skip. */
function lookOf({ notification, webhook, account }: Wanted): [RowLookup<NotificationRow, number[]>, ...number[]] {
  if (notification !== undefined) return [only, notification];
  if (webhook !== undefined) return [ofWebhook, webhook];
  return account === undefined ? [all] : [ofAccount, account];
}

function isWanted(row: NotificationRow, { account, webhook, kind, since, until }: Wanted): boolean {
  return (
    row.state === 'dead' &&
    (account === undefined || row.account === account) &&
    (webhook === undefined || row.webhook === webhook) &&
    (kind === undefined || row.kind === kind) &&
    (since === undefined || row.createdAt >= since) &&
    (until === undefined || row.createdAt < until)
  );
}

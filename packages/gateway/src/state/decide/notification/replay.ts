/* Delivers dead letters again. */

import type { NotificationKind } from '@morsel/api/values/notification.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readKeys } from '../../rows/keys.ts';
import { search, type RowLookup } from '../../tables/lookup.ts';
import type { Reads } from '../../rows/reads.ts';
import { inboundById } from '../../tables/inbound.ts';
import { notificationTable, type NotificationRow } from '../../tables/notification.ts';
import type { Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';
import { readDestinations, notifyAgain } from './notification.ts';
import { openInbound } from '../../rows/inbound-content.ts';

/** A filter of dead letters: all given members must match. */
export interface DeadWanted {
  readonly notification: number | null;
  readonly account: number | null;
  readonly webhook: number | null;
  readonly kind: NotificationKind | null;
  /** Made at or after `since`, and before `until`. */
  readonly since: Instant | null;
  readonly until: Instant | null;
}

/** It looks at no more than `max` dead letters, starting behind `after`. */
interface ReplayNotifications {
  readonly at: Instant;
  readonly wanted: DeadWanted;
  readonly after: number;
  readonly max: number;
}

interface Replayed {
  readonly replayed: number;
  /** They stay dead letters: the account has no destination for them. */
  readonly left: number;
  /** The only webhooks that get them. */
  readonly webhooks: readonly number[];
  /** Where to go on; null at the end. */
  readonly next: number | null;
}

const only = search<number[]>()('notification.only', notificationTable);
const ofWebhook = search<number[]>()('notification.dead-of-webhook', notificationTable);
const ofAccount = search<number[]>()('notification.dead-of-account', notificationTable);
const all = search<number[]>()('notification.dead', notificationTable);

export const replayNotificationsCommand = {
  reads(read: Reads, command: ReplayNotifications): void {
    const [lookup, ...values] = lookOf(command);
    for (const row of read.all(lookup, ...values)) {
      readDestinations(read, row.account);
      if (row.kind !== 'inbound') continue;
      const about = read.one(inboundById, toMessageId(row.subject));
      if (about) readKeys(read, about.account);
    }
  },
  decide: decideReplay,
};

/** The next dead letters in the order of their ids, by the index with the fewest others. */
function lookOf({ wanted, after, max }: ReplayNotifications): [RowLookup<NotificationRow, number[]>, ...number[]] {
  const { notification, webhook, account } = wanted;
  if (notification !== null) return [only, notification, after, max];
  if (webhook !== null) return [ofWebhook, webhook, after, max];
  return account === null ? [all, after, max] : [ofAccount, account, after, max];
}

/** Delivers dead letters again with the same ids, to the current destinations. */
function decideReplay(rows: Rows, command: ReplayNotifications): Decided<Replayed> {
  const { wanted, at, max } = command;
  const [lookup, ...values] = lookOf(command);
  const looked = rows.all(lookup, ...values);
  const [first] = looked;
  if (wanted.notification !== null && !first)
    return refused({ code: 'does_not_exist', detail: `there is no notification ${wanted.notification}` });
  if (wanted.notification !== null && first && first.state !== 'dead') {
    const detail = `only dead letters can be replayed: notification ${wanted.notification} is ${first.state}`;
    return refused({ code: 'conflict', detail });
  }
  let replayed = 0;
  let left = 0;
  const webhooks = new Set<number>();
  for (const row of looked) {
    if (!isWanted(row, wanted)) continue;
    const about = row.kind === 'inbound' ? rows.one(inboundById, toMessageId(row.subject)) : undefined;
    if (!notifyAgain(rows, { row, about: about && openInbound(rows, about) }, at)) {
      left += 1;
      continue;
    }
    replayed += 1;
    if (row.webhook !== null && !row.bySession) webhooks.add(row.webhook);
  }
  const next = looked.length < max ? null : (looked.at(-1)?.id ?? null);
  return ok({ replayed, left, webhooks: [...webhooks], next });
}

function isWanted(row: NotificationRow, { account, webhook, kind, since, until }: DeadWanted): boolean {
  return (
    row.state === 'dead' &&
    (account === null || row.account === account) &&
    (webhook === null || row.webhook === webhook) &&
    (kind === null || row.kind === kind) &&
    (since === null || row.createdAt >= since) &&
    (until === null || row.createdAt < until)
  );
}

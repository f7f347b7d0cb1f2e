import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { NotificationRow } from '../../tables/notification.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import type {
  DeadWanted,
  Replayed,
  ReplayNotifications,
  SweepNotifications,
  WebhookResults,
} from '../../commands/webhook.ts';
import { notifyAgain } from './notification.ts';

/** Makes dead letters of the notifications for a removed webhook, unless sessions may get them. */
export function decideSweepNotifications(
  rows: Rows,
  command: SweepNotifications,
): Result<WebhookResults['sweep-notifications'], never> {
  for (const row of rows.webhooks.swept) {
    if (row.state !== 'waiting') continue;
    if (row.bySession) row.webhook = null;
    else {
      row.state = 'dead';
      row.due = null;
      row.endedAt = command.at;
      row.outcome = 'the webhook was removed';
    }
    touch(row);
  }
  return ok({ isMore: rows.webhooks.swept.length >= command.max });
}

/** Delivers dead letters again with the same ids, to the current destinations. */
export function decideReplayNotifications(rows: Rows, command: ReplayNotifications): Result<Replayed, Rejection> {
  const { wanted, at, max } = command;
  const looked = rows.webhooks.dead.get(command) ?? [];
  const [only] = looked;
  if (wanted.notification !== null && !only)
    return refused({ code: 'does_not_exist', detail: `there is no notification ${wanted.notification}` });
  if (wanted.notification !== null && only && only.row.state !== 'dead') {
    const detail = `only dead letters can be replayed: notification ${wanted.notification} is ${only.row.state}`;
    return refused({ code: 'conflict', detail });
  }
  let replayed = 0;
  let left = 0;
  const webhooks = new Set<number>();
  for (const letter of looked) {
    if (!isWanted(letter.row, wanted)) continue;
    if (!notifyAgain(rows, letter, at)) {
      left += 1;
      continue;
    }
    replayed += 1;
    const { webhook, bySession } = letter.row;
    if (webhook !== null && !bySession) webhooks.add(webhook);
  }
  return ok({
    replayed,
    left,
    webhooks: [...webhooks],
    next: looked.length < max ? null : (looked.at(-1)?.row.id ?? null),
  });
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

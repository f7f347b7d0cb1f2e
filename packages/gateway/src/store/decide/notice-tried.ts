import { ok } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { NoticeResults, NoticeTried } from '../notice-commands.ts';
import { touch } from '../rows.ts';
import type { Rows } from '../rows.ts';
import { noteHealth } from './webhook.ts';

/** Writes down what came of a try. One that was told meanwhile, or is gone, stays as it is. */
export function decideNoticeTried(rows: Rows, command: NoticeTried): Result<NoticeResults['notice-tried'], never> {
  const stopped = noteHealth(rows, command)?.webhook;
  const result = ok(
    stopped && stopped.status !== 'active'
      ? { webhook: stopped.id, account: stopped.account, status: stopped.status }
      : null,
  );
  const row = rows.notices.byId.get(command.notice);
  if (row?.state !== 'waiting') return result;
  const { at, by: triedBy, detail: outcome, due, isDelivered } = command;
  row.tries += 1;
  row.triedBy = triedBy;
  row.outcome = outcome;
  row.due = due;
  if (due === null) {
    row.state = isDelivered ? 'delivered' : 'dead';
    row.endedAt = at;
  }
  touch(row);
  if (!isDelivered) rows.notices.tries.push({ notice: row.id, number: row.tries, at, triedBy, outcome });
  return result;
}

import type { Rejection } from '../../core/rejection.ts';
import { ok, refused } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { Instant } from '../../core/time.ts';
import type { InboundReplayed, ReplayInbound } from '../inbound-commands.ts';
import type { InboundRow } from '../inbound-rows.ts';
import type { NoticeRow } from '../notice-rows.ts';
import { touch } from '../rows.ts';
import type { Rows } from '../rows.ts';
import { routeOf } from './inbound-route.ts';
import { hasOutlet, noticeInbound } from './notice.ts';
import { heedStop } from './opt-out.ts';

/**
 * Tells accounts anew of messages from phones. What is nobody's goes to whose it is by the numbers and keywords of now; what has
 * an account keeps it, unless it is to be routed anew and somebody has it then. A notice that waits for an outlet that is there
 * is not made twice; one that waits for what is gone ends when another takes its place. The message keeps its id, by which
 * whoever was told of it before knows it again.
 */
export function decideReplayInbound(rows: Rows, command: ReplayInbound): Result<InboundReplayed, Rejection> {
  const { stored } = rows.inbound;
  const unknown = command.ids.find((id) => !stored.has(id));
  if (unknown !== undefined) {
    return refused({ code: 'does_not_exist', detail: `there is no message from a phone with the id ${unknown}` });
  }
  const counts = { replayed: 0, waiting: 0, withoutOutlet: 0, unmatched: 0, rerouted: 0 };
  for (const id of command.ids) {
    const message = stored.get(id);
    if (!message) continue;
    const routed = reroute(rows, message.row, command);
    if (routed) {
      message.row = routed;
      counts.rerouted += 1;
    }
    counts[tell(rows, message, command.at)] += 1;
  }
  return ok(counts);
}

/** The message with another account; undefined if it keeps what it has. */
function reroute(rows: Rows, row: InboundRow, { at, isRerouted }: ReplayInbound): InboundRow | undefined {
  if (row.account !== null && !isRerouted) return undefined;
  // Of one that is not complete the beginning may be missing, and what stands first is no keyword then.
  const routed = routeOf(rows, row.receiver, row.complete ? row.text : null);
  const { account } = routed.route;
  if (account === null || account === row.account) return undefined;
  const after = { ...row, ...routed.route };
  rows.inbound.rerouted.push(after);
  heedStop(rows, after, { routed, at });
  return after;
}

interface Replayed {
  readonly row: InboundRow;
  readonly notices: NoticeRow[];
}

function tell(rows: Rows, { row, notices }: Replayed, at: Instant): Exclude<keyof InboundReplayed, 'rerouted'> {
  if (row.account === null) return 'unmatched';
  const waiting = notices.filter(({ state }) => state === 'waiting');
  if (waiting.some((notice) => hasOutlet(rows, row, notice))) return 'waiting';
  for (const notice of waiting) if (notice.account !== row.account) end(notice, at);
  const made = noticeInbound(rows, row, at);
  if (!made) return 'withoutOutlet';
  for (const notice of waiting) if (notice.account === row.account) end(notice, at);
  notices.push(made);
  return 'replayed';
}

/** Nobody would ever tell it: its webhook is gone, or the message is another account's now. */
function end(notice: NoticeRow, at: Instant): void {
  notice.state = 'dead';
  notice.due = null;
  notice.endedAt = at;
  notice.outcome = 'its message was replayed';
  touch(notice);
}

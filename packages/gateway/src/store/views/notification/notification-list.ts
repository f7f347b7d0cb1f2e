import type { MessageId } from '../../../core/base/message-id.ts';
import { noticeKinds, noticeStates, noticeTriesMax } from '../../../core/notification/notification.ts';
import type { NoticeKind, NoticeState } from '../../../core/notification/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { webhookStatuses } from '../../../core/notification/webhook.ts';
import type { WebhookStatus } from '../../../core/notification/webhook.ts';
import { integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

/** A notice as a person looks it up: never what it says. */
export interface NoticeSummary {
  readonly id: number;
  readonly account: string;
  readonly accountId: number;
  readonly kind: NoticeKind;
  /** The message that it is about; null of an alert. */
  readonly msgId: number | null;
  readonly event: string | null;
  readonly bySession: boolean;
  readonly webhook: number | null;
  /** As its webhook is now; null without one. */
  readonly webhookStatus: WebhookStatus | null;
  readonly state: NoticeState;
  readonly due: Instant | null;
  readonly tries: number;
  readonly createdAt: Instant;
  readonly endedAt: Instant | null;
  readonly triedBy: string | null;
  readonly outcome: string | null;
}

export interface NoticeView extends NoticeSummary {
  readonly replayedAt: Instant | null;
  /** Those that failed, the newest last: no more than a person looks at. */
  readonly failures: readonly NoticeFailure[];
}

interface NoticeFailure {
  readonly number: number;
  readonly at: Instant;
  readonly by: string;
  readonly outcome: string;
}

export interface FindNoticesInput {
  readonly account: number | null;
  readonly webhook: number | null;
  readonly state: NoticeState | null;
  readonly kind: NoticeKind | null;
  readonly before: number | null;
  readonly limit: number;
}

export interface FoundNotices {
  readonly notices: readonly NoticeSummary[];
  /** Where to go on; null at the end. */
  readonly next: number | null;
}

const columns = 'notice.*, account.name as account_name, webhook.status as webhook_status';
const join = 'join account on account.id = notice.account left join webhook on webhook.id = notice.webhook';

/** Notices, the newest first, each list by an index: dead letters and those that wait by indexes that have no others. */
export function findNotices(queries: Queries, wanted: FindNoticesInput): FoundNotices {
  const { account, webhook, state, kind, before, limit } = wanted;
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const ask = (condition: string, value: string | number | null) => {
    if (value === null) return;
    conditions.push(condition);
    values.push(value);
  };
  if (state === 'waiting') {
    const waiting = waitingOf(wanted);
    conditions.push(waiting.condition);
    values.push(...waiting.values);
  } else {
    // Written out, since an index of some rows alone is used for conditions that say so.
    if (state === 'dead') conditions.push("notice.state = 'dead'");
    else ask('notice.state = ?', state);
    ask('notice.account = ?', account);
    ask('notice.webhook = ?', webhook);
    // Those of a webhook have no index of their own: they are among those of its account.
    if (state !== 'dead' && account === null)
      ask('notice.account = (select account from webhook where id = ?)', webhook);
  }
  ask('notice.kind = ?', kind);
  ask('notice.id < ?', before);
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  // Left to choose, SQLite takes all notices of the account.
  const index = state === 'dead' && account !== null && webhook === null ? ' indexed by notice_dead' : '';
  const rows = queries.all(
    `select ${columns} from notice${index} ${join}${where} order by notice.id desc limit ?`,
    ...values,
    limit,
  );
  const notices = rows.map(summaryFrom);
  return { notices, next: rows.length < limit ? null : (notices.at(-1)?.id ?? null) };
}

/** Each that waits does so for a webhook, or for a session of its account, and is in an index of those alone. */
function waitingOf({ account, webhook }: FindNoticesInput): { condition: string; values: number[] } {
  const ofWebhook = 'select id from notice where due is not null and by_session in (0, 1) and webhook';
  const ofSession = 'select id from notice where due is not null and by_session = 1 and account';
  if (webhook !== null) {
    const condition = `notice.id in (${ofWebhook} = ?)${account === null ? '' : ' and +notice.account = ?'}`;
    return { condition, values: account === null ? [webhook] : [webhook, account] };
  }
  return account === null
    ? {
        condition: `notice.id in (${ofWebhook} in (select id from webhook) union all ${ofSession} in (select id from account))`,
        values: [],
      }
    : {
        condition: `notice.id in (${ofWebhook} in (select id from webhook where account = ?) union all ${ofSession} = ?)`,
        values: [account, account],
      };
}

/** The notices of what became of a message, the oldest first, by the index of a notice's subject. */
export function noticesOfMessage(queries: Queries, id: MessageId): NoticeSummary[] {
  return queries
    .all(
      `select ${columns} from notice ${join} where notice.subject = ? and notice.kind = 'receipt' order by notice.id`,
      id,
    )
    .map(summaryFrom);
}

export function readNoticeView(queries: Queries, id: number): NoticeView | undefined {
  const row = queries.get(`select ${columns} from notice ${join} where notice.id = ?`, id);
  if (!row) return undefined;
  const failures = queries.all(
    'select * from notice_try where notice = ? order by number desc limit ?',
    id,
    noticeTriesMax,
  );
  return {
    ...summaryFrom(row),
    replayedAt: integerOrNull(row, 'replayed_at'),
    failures: failures.toReversed().map((each) => ({
      number: integer(each, 'number'),
      at: integer(each, 'at'),
      by: text(each, 'tried_by'),
      outcome: text(each, 'outcome'),
    })),
  };
}

function summaryFrom(row: Record): NoticeSummary {
  const kind = noticeKinds.find((each) => each === row['kind']) ?? 'inbound';
  return {
    id: integer(row, 'id'),
    account: text(row, 'account_name'),
    accountId: integer(row, 'account'),
    kind,
    msgId: kind === 'alert' ? null : integer(row, 'subject'),
    event: textOrNull(row, 'event'),
    bySession: integer(row, 'by_session') === 1,
    webhook: integerOrNull(row, 'webhook'),
    webhookStatus: webhookStatuses.find((status) => status === row['webhook_status']) ?? null,
    state: noticeStates.find((each) => each === row['state']) ?? 'dead',
    due: integerOrNull(row, 'due'),
    tries: integer(row, 'tries'),
    createdAt: integer(row, 'created_at'),
    endedAt: integerOrNull(row, 'ended_at'),
    triedBy: textOrNull(row, 'tried_by'),
    outcome: textOrNull(row, 'outcome'),
  };
}

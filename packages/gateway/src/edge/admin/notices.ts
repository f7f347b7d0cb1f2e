import { noticeKinds, noticeStates } from '../../core/notification/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import { name, oneOf, optional, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import { webhookId } from '../../operator/webhook-fields.ts';
import type { NoticeSummary, NoticeView } from '../../store/views/notification/notification-list.ts';
import type { Sessions } from '../smpp/sessions.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time, timeOrNull } from './present.ts';
import { shown } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of notices. */

export interface NoticeNeeds extends QuestionNeeds {
  readonly snapshot: () => Snapshot;
  readonly sessions: Pick<Sessions, 'receivers'>;
}

const limitMax = 1_000;
const limitDefault = 50;
const noticeMax = Number.MAX_SAFE_INTEGER;
const noticeId = wholeNumber(1, noticeMax);

const noticeFields = {
  account: optional(name, null),
  webhook: optional(webhookId, null),
  state: optional(oneOf(noticeStates), null),
  kind: optional(oneOf(noticeKinds), null),
  before: optional(noticeId, null),
  limit: optional(wholeNumber(1, limitMax), limitDefault),
};

/** What accounts are told, the newest first and without texts, and where to go on as `before` if there may be more. */
export async function askNotices(needs: NoticeNeeds, fields: Fields): Answer {
  const read = readFields(noticeFields, fields);
  if (!read.ok) return read;
  const { account: wanted, webhook } = read.value;
  const owner = [...needs.snapshot().accounts.values()].find((each) => each.name === wanted);
  if (wanted !== null && !owner) {
    return refused({ code: 'does_not_exist', detail: `there is no account named ${wanted}` });
  }
  if (webhook !== null) {
    const known = await needs.reader.ask('webhooks', { account: null, webhook, isRemovedToo: true });
    if (!known.ok) return known;
    if (known.value.length === 0) return refused({ code: 'does_not_exist', detail: `there is no webhook ${webhook}` });
  }
  return shown(await needs.reader.ask('notices', { ...read.value, account: owner?.id ?? null }), (found) => ({
    notices: found.notices.map((notice) => showNotice(needs, notice)),
    next: found.next === null ? null : String(found.next),
  }));
}

/** One notice, with its failed tries. */
export async function askNotice(needs: NoticeNeeds, fields: Fields): Answer {
  const read = readFields({ notice: noticeId }, fields);
  if (!read.ok) return read;
  const { notice } = read.value;
  const found = await needs.reader.ask('notice', notice);
  if (!found.ok) return found;
  return found.value
    ? ok(showOneNotice(needs, found.value))
    : refused({ code: 'does_not_exist', detail: `there is no notice ${notice}` });
}

export function showNotice(needs: NoticeNeeds, notice: NoticeSummary): { readonly [member: string]: Json } {
  const held = heldBy(needs, notice);
  return {
    id: String(notice.id),
    account: notice.account,
    kind: notice.kind,
    msgId: notice.msgId === null ? null : String(notice.msgId),
    event: notice.event,
    webhook: notice.webhook === null ? null : String(notice.webhook),
    bySession: notice.bySession,
    state: notice.state,
    due: held === null ? timeOrNull(notice.due) : null,
    heldBy: held,
    tries: notice.tries,
    createdAt: time(notice.createdAt),
    endedAt: timeOrNull(notice.endedAt),
    triedBy: notice.triedBy,
    outcome: notice.outcome,
  };
}

function showOneNotice(needs: NoticeNeeds, notice: NoticeView): Json {
  return {
    ...showNotice(needs, notice),
    replayedAt: timeOrNull(notice.replayedAt),
    failures: notice.failures.map(({ number, at, by, outcome }) => ({ try: number, at: time(at), by, outcome })),
  };
}

/** Why it will not be tried at the time that it has: its webhook is stopped, or it waits for a session; null if it will. */
function heldBy({ sessions }: NoticeNeeds, notice: NoticeSummary): 'paused' | 'off' | 'session' | null {
  const { state, bySession, accountId, webhook, webhookStatus } = notice;
  if (state !== 'waiting') return null;
  if (bySession && sessions.receivers(accountId).length > 0) return null;
  if (webhook === null || webhookStatus === null) return 'session';
  return webhookStatus === 'active' ? null : webhookStatus;
}

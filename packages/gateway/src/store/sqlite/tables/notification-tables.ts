import { noticeKinds, noticeStates, noticeTriesMax } from '../../../core/notification/notification.ts';
import { messageEvents } from '../../../core/base/message.ts';
import type { ExpireNotices, ForgetNotices, NoticeCommand, NoticeLane } from '../../commands/notification.ts';
import type { NoticeRow, NoticeRows } from '../../tables/notification.ts';
import type { Rows } from '../../tables/rows.ts';
import type { HotNotices } from './notification-cache.ts';
import { integer, integerOrNull, text, textOrNull } from '../columns.ts';
import type { Record } from '../columns.ts';
import type { Statements } from '../statements.ts';
import { loadWebhook } from './webhook-tables.ts';

/** Loads the notices that a command names. */
export function loadNotices(
  rows: Rows,
  command: NoticeCommand,
  { statements, hot }: { readonly statements: Statements; readonly hot: HotNotices },
): void {
  const { byId } = rows.notices;
  if (command.kind === 'notice-tried') {
    const { webhook, isDelivered } = command;
    if (webhook !== undefined && (!isDelivered || rows.webhooks.failing.has(webhook))) {
      loadWebhook(rows, webhook, statements);
    }
    if (byId.has(command.notice)) return;
    const kept = hot.get(command.notice);
    if (kept) {
      byId.set(kept.id, kept);
      return;
    }
    const row = statements.get('select * from notice where id = ?', command.notice);
    if (row) byId.set(command.notice, noticeRowFrom(row));
    return;
  }
  if (command.kind === 'expire-notices') {
    loadUnclaimed(rows, command, statements);
    return;
  }
  if (command.kind === 'forget-notices') {
    loadOld(rows, command, statements);
    return;
  }
  const { where, value } = laneCondition(command.lane);
  const found = statements.all(
    `select * from notice where ${where} and due > ? order by due limit ${command.max}`,
    value,
    command.at,
  );
  rows.notices.woken = found.map((row) => keepNotice(rows, row));
}

/** An account at a time, as the index has them: what waits there since before that time is what no session came for. */
function loadUnclaimed(rows: Rows, { before, max }: ExpireNotices, statements: Statements): void {
  const found: NoticeRow[] = [];
  for (const account of statements.all('select id from account')) {
    if (found.length === max) break;
    const waiting = statements.all(
      'select * from notice where account = ? and by_session = 1 and due < ? and webhook is null order by due limit ?',
      integer(account, 'id'),
      before,
      max - found.length,
    );
    found.push(...waiting.map((row) => keepNotice(rows, row)));
  }
  rows.notices.unclaimed = found;
}

/** In the order in which they were made. The newest of all stays, so that its id is never another's. */
function loadOld(rows: Rows, { after, before, max }: ForgetNotices, statements: Statements): void {
  const found = statements.all(
    `select * from notice where id > ? and id < (select max(id) from notice) order by id limit ${max}`,
    after,
  );
  const young = found.findIndex((row) => integer(row, 'created_at') >= before);
  rows.notices.old = (young === -1 ? found : found.slice(0, young)).map((row) => keepNotice(rows, row));
}

/** One object a notice, however many commands of the group name it. */
export function keepNotice({ notices: { byId } }: Rows, row: Record): NoticeRow {
  const id = integer(row, 'id');
  const notice = byId.get(id) ?? noticeRowFrom(row);
  byId.set(notice.id, notice);
  return notice;
}

/** Which rows a lane has, by an index that holds only those that wait. */
function laneCondition(lane: NoticeLane): { where: string; value: number } {
  return lane.kind === 'webhook'
    ? { where: 'webhook = ? and by_session in (0, 1)', value: lane.webhook }
    : { where: 'account = ? and by_session = 1', value: lane.account };
}

export function writeNotices(rows: NoticeRows, statements: Statements): void {
  for (const notice of rows.byId.values()) {
    if (notice.change === 'new') insert(notice, statements);
    else if (notice.change === 'changed') update(notice, statements);
  }
  for (const { notice, number, at, triedBy, outcome } of rows.tries) {
    statements.run('insert into notice_try values (?, ?, ?, ?, ?)', notice, number, at, triedBy, outcome);
    if (number > noticeTriesMax)
      statements.run('delete from notice_try where notice = ? and number = ?', notice, number - noticeTriesMax);
  }
  for (const { id } of rows.forgotten) {
    statements.run('delete from notice_try where notice = ?', id);
    statements.run('delete from notice where id = ?', id);
  }
}

function insert(row: NoticeRow, statements: Statements): void {
  statements.run(
    'insert into notice values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, 0)',
    row.id,
    row.account,
    row.kind,
    row.subject,
    row.event,
    row.eventAt,
    row.errorCode,
    row.bySession ? 1 : 0,
    row.webhook,
    row.state,
    row.due,
    row.tries,
    row.createdAt,
    row.endedAt,
    row.triedBy,
    row.outcome,
  );
}

function update(row: NoticeRow, statements: Statements): void {
  const told = [row.state, row.due, row.tries, row.endedAt, row.triedBy, row.outcome];
  statements.run(
    `update notice set state = ?, due = ?, tries = ?, ended_at = ?, tried_by = ?, outcome = ?, webhook = ?,
      by_session = ?, replayed_at = ?, replayed_after = ?, created_at = ? where id = ?`,
    ...told,
    row.webhook,
    row.bySession ? 1 : 0,
    row.replayedAt,
    row.replayedAfter,
    row.createdAt,
    row.id,
  );
}

function noticeRowFrom(row: Record): NoticeRow {
  return {
    change: 'none',
    id: integer(row, 'id'),
    account: integer(row, 'account'),
    kind: noticeKinds.find((kind) => kind === row['kind']) ?? 'inbound',
    subject: integer(row, 'subject'),
    event: messageEvents.find((event) => event === row['event']) ?? null,
    eventAt: integerOrNull(row, 'event_at'),
    errorCode: textOrNull(row, 'error_code'),
    bySession: integer(row, 'by_session') === 1,
    webhook: integerOrNull(row, 'webhook'),
    state: noticeStates.find((state) => state === text(row, 'state')) ?? 'dead',
    due: integerOrNull(row, 'due'),
    tries: integer(row, 'tries'),
    createdAt: integer(row, 'created_at'),
    endedAt: integerOrNull(row, 'ended_at'),
    triedBy: textOrNull(row, 'tried_by'),
    outcome: textOrNull(row, 'outcome'),
    replayedAt: integerOrNull(row, 'replayed_at'),
    replayedAfter: integer(row, 'replayed_after'),
  };
}

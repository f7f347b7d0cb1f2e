import { inboundDcs } from '../../../core/message/inbound.ts';
import { inboundMatches } from '../../../core/number/inbound-route.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { ReplayInbound } from '../../commands/inbound.ts';
import type { InboundRow } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';
import { loadOwners } from './load-inbound.ts';
import { keepNotification } from '../tables/notification-tables.ts';
import { bytes, integer, integerOrNull, text, textOrNull } from '../columns.ts';
import type { Record } from '../columns.ts';
import type { Statements } from '../statements.ts';

/** Loads messages to replay, their notifications and the present accounts of their numbers. Returns their senders. */
export function loadReplayedInbound(rows: Rows, command: ReplayInbound, statements: Statements): ReadonlySet<string> {
  const { stored } = rows.inbound;
  const wanted = JSON.stringify(command.ids.filter((id) => !stored.has(id)));
  const receivers = new Set<string>();
  const phones = new Set<string>();
  for (const found of statements.all('select * from inbound where id in (select value from json_each(?))', wanted)) {
    const row = inboundRowFrom(found);
    stored.set(row.id, { row, notifications: [] });
    receivers.add(row.receiver);
    phones.add(row.sender);
  }
  const notifications = statements.all(
    "select * from notification where kind = 'inbound' and subject in (select value from json_each(?)) order by id",
    wanted,
  );
  for (const found of notifications) {
    const notification = keepNotification(rows, found);
    stored.get(toMessageId(notification.subject))?.notifications.push(notification);
  }
  for (const receiver of receivers) loadOwners(rows, receiver, statements);
  return phones;
}

export function inboundRowFrom(row: Record): InboundRow {
  return {
    id: toMessageId(integer(row, 'id')),
    account: integerOrNull(row, 'account'),
    matchedBy: inboundMatches.find((each) => each === row['matched_by']) ?? null,
    keyword: textOrNull(row, 'keyword'),
    carrier: integer(row, 'carrier'),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    dataCoding: integerOrNull(row, 'data_coding'),
    dcs: inboundDcs.find((dcs) => dcs === row['dcs']) ?? 'BIN',
    text: textOrNull(row, 'text'),
    octets: row['octets'] === null ? null : bytes(row, 'octets'),
    header: row['header'] === null ? null : bytes(row, 'header'),
    numParts: integer(row, 'num_parts'),
    partsReceived: integer(row, 'parts_received'),
    complete: integer(row, 'complete') === 1,
    receivedAt: integer(row, 'received_at'),
  };
}

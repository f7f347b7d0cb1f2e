import { inboundCodings } from '@morsel/api/values/routing.ts';
import { codingOf } from '../../../core/message/coding.ts';
import { concatenationKinds, readConcatenation } from '../../../core/message/inbound.ts';
import type { Concatenation, Ports } from '../../../core/message/inbound.ts';
import { ownersOf } from '../../../core/number/owners.ts';
import { numberKinds } from '@morsel/api/values/number.ts';
import type { ExpireInbound, RecordInbound } from '../../commands/inbound.ts';
import { inboundKey, numberKey } from '../../tables/inbound.ts';
import type { InboundPartRow, NumberRow } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';
import { bytes, integer, integerOrNull, text } from '../columns.ts';
import type { Record } from '../columns.ts';
import type { Statements } from '../statements.ts';

/** Loads the account of the number and, for a part of a long message, the other parts. */
export function loadInbound(rows: Rows, command: RecordInbound, statements: Statements): void {
  loadOwners(rows, command.receiver, statements);
  if (command.concatenation) loadTogether(rows, { ...command, concatenation: command.concatenation }, statements);
}

/** Loads parts that have waited too long, with all parts of their messages. Returns their senders. */
export function loadOverdueInbound(rows: Rows, command: ExpireInbound, statements: Statements): ReadonlySet<string> {
  const max = command.ids.length;
  const found = statements.all(
    'select * from inbound_part where received_at <= ? order by received_at limit ?',
    command.before,
    max,
  );
  const keys = new Set<string>();
  const phones = new Set<string>();
  for (const record of found) {
    const part = inboundPartFrom(record);
    loadOwners(rows, part.receiver, statements);
    phones.add(part.sender);
    const { concatenation } = part;
    if (concatenation) loadTogether(rows, { ...part, concatenation }, statements);
    const key = concatenation ? inboundKey(part, concatenation) : `one part ${part.id}`;
    keys.add(key);
    // A row from before the gateway joined parts has no key to find the others by.
    if (record['coding'] === null) addTo(rows.inbound.waiting, key, part);
  }
  rows.inbound.overdue = [...keys];
  rows.inbound.isFull = found.length === max;
  return phones;
}

export function loadNumber(rows: Rows, digits: string, statements: Statements): void {
  for (const found of statements.all('select * from number where digits = ?', digits)) keepNumber(rows, found);
}

export function loadOwners(rows: Rows, receiver: string, statements: Statements): void {
  const digits = new Set(ownersOf(receiver).map((owner) => owner.digits));
  if (digits.size === 0) return;
  const found = statements.all(
    'select * from number where digits in (select value from json_each(?))',
    JSON.stringify([...digits]),
  );
  for (const each of found) keepNumber(rows, each);
}

type Together = Pick<InboundPartRow, 'carrier' | 'sender' | 'receiver'> & { readonly concatenation: Concatenation };

function loadTogether(rows: Rows, part: Together, statements: Statements): void {
  const { carrier, sender, receiver, concatenation } = part;
  const key = inboundKey(part, concatenation);
  if (rows.inbound.waiting.has(key)) return;
  const columns = [carrier, sender, receiver, concatenation.kind, concatenation.reference, concatenation.total];
  const where = 'carrier = ? and sender = ? and receiver = ? and concatenation = ? and reference = ? and total = ?';
  const waiting = statements.all(`select * from inbound_part where ${where} order by id`, ...columns);
  rows.inbound.waiting.set(key, waiting.map(inboundPartFrom));
  const joined = statements.all(`select * from inbound_joined where ${where}`, ...columns);
  rows.inbound.joined.set(
    key,
    new Map(
      joined.map((found) => {
        const number = integer(found, 'number');
        const row = { ...part, concatenation: { ...concatenation, number }, isNew: false };
        return [number, { ...row, digest: bytes(found, 'digest'), joinedAt: integer(found, 'joined_at') }];
      }),
    ),
  );
}

function inboundPartFrom(row: Record): InboundPartRow {
  const dataCoding = integer(row, 'data_coding');
  const data = { esmClass: integer(row, 'esm_class'), octets: bytes(row, 'octets') };
  return {
    ...data,
    dataCoding,
    isNew: false,
    id: integer(row, 'id'),
    carrier: integer(row, 'carrier'),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    coding: inboundCodings.find((coding) => coding === row['coding']) ?? codingOf(dataCoding, {}),
    concatenation: row['coding'] === null ? readConcatenation(data) : concatenationFrom(row),
    ports: portsFrom(row),
    receivedAt: integer(row, 'received_at'),
  };
}

function concatenationFrom(row: Record): Concatenation | null {
  const kind = concatenationKinds.find((each) => each === row['concatenation']);
  if (!kind) return null;
  return { kind, reference: integer(row, 'reference'), total: integer(row, 'total'), number: integer(row, 'number') };
}

function portsFrom(row: Record): Ports | null {
  const destination = integerOrNull(row, 'destination_port');
  const source = integerOrNull(row, 'source_port');
  return destination === null || source === null ? null : { destination, source };
}

/** Keeps one object for each number, however many commands of the group name it. */
function keepNumber(rows: Rows, found: Record): void {
  const row = numberFrom(found);
  const key = numberKey(row);
  if (!rows.inbound.numbers.has(key)) rows.inbound.numbers.set(key, row);
}

function numberFrom(row: Record): NumberRow {
  return {
    kind: numberKinds.find((kind) => kind === row['kind']) ?? 'number',
    number: text(row, 'number'),
    digits: text(row, 'digits'),
    account: integerOrNull(row, 'account'),
    createdAt: integer(row, 'created_at'),
    isNew: false,
  };
}

function addTo(waiting: Map<string, InboundPartRow[]>, key: string, part: InboundPartRow): void {
  const list = waiting.get(key) ?? [];
  waiting.set(key, list);
  if (!list.some((each) => each.id === part.id)) list.push(part);
}

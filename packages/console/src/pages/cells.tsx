/* Cells of tables that lead to another page. */

import { message } from '@morsel/api/admin/message/message.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { Link } from '@tanstack/react-router';
import { nameIn, type Cells, type Row } from '../ui/list/rows.tsx';

type PageOfName = '/accounts/$name' | '/carriers/$name' | '/prices/$name' | '/routes/change-sets/$name';

/** A cell with a name, which leads to the page of that name. */
export function nameCell(to: PageOfName, name: string) {
  return (row: Row) =>
    nameIn(row, name) === '' ? null : (
      <Link to={to} params={{ name: nameIn(row, name) }}>
        {nameIn(row, name)}
      </Link>
    );
}

/** A cell with an id, which leads to the page of that id. */
export function idCell(to: '/records/audit/$id' | '/decide/receipts/$id', name: string) {
  return (row: Row) => (
    <Link to={to} params={{ id: nameIn(row, name) }}>
      {nameIn(row, name)}
    </Link>
  );
}

/** A link to a message, which may be an inbound one: its row then has the kind, or the time when it was received. */
function messageCell(row: Row) {
  const id = nameIn(row, 'msgId');
  const isInbound = row['kind'] === 'inbound' || Object.hasOwn(row, 'receivedTime');
  return id === '' ? null : (
    <Link to={isInbound ? '/records/inbound/$id' : '/messages/$id'} params={{ id }}>
      {id}
    </Link>
  );
}

/** The browser of a session, such as Firefox/151.0. */
export function agentCell(row: Row) {
  const agent = nameIn(row, 'agent');
  return /(?:Firefox|Edg|Chrome|Safari)\/[\d.]+/.exec(agent)?.[0] ?? agent;
}

/** The columns of lists of messages. The time of the last event is only on the page of the message. */
export const messageColumns = message.operations.find.columns.filter(
  (column) => column !== 'eventAt',
) as Operation['columns'];

export const messageCells = {
  msgId: messageCell,
  account: nameCell('/accounts/$name', 'account'),
  carrier: nameCell('/carriers/$name', 'carrier'),
} satisfies Cells;

export const receiptCells: Cells = { ...messageCells, id: idCell('/decide/receipts/$id', 'id') };

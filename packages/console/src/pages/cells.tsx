/* Cells of tables that lead to another page. */

import { Link } from '@tanstack/react-router';
import { nameIn } from '../ui/list.tsx';
import type { Cells, Row } from '../ui/list.tsx';

export function accountCell(name = 'account') {
  return (row: Row) =>
    nameIn(row, name) === '' ? null : (
      <Link to="/accounts/$name" params={{ name: nameIn(row, name) }}>
        {nameIn(row, name)}
      </Link>
    );
}

export function carrierCell(name = 'carrier') {
  return (row: Row) =>
    nameIn(row, name) === '' ? null : (
      <Link to="/carriers/$name" params={{ name: nameIn(row, name) }}>
        {nameIn(row, name)}
      </Link>
    );
}

function messageCell(row: Row) {
  const id = nameIn(row, 'msgId');
  return id === '' ? null : (
    <Link to="/messages/$id" params={{ id }}>
      {id}
    </Link>
  );
}

/** The browser of a session, such as Firefox/151.0. */
export function agentCell(row: Row) {
  const agent = nameIn(row, 'agent');
  return /(?:Firefox|Edg|Chrome|Safari)\/[\d.]+/.exec(agent)?.[0] ?? agent;
}

export const messageCells: Cells = { msgId: messageCell, account: accountCell(), carrier: carrierCell() };

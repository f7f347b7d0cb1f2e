/* Inbound messages are sealed with the key of their account, or with the gateway's key while they have no account. */

import { seal, unseal } from './keys.ts';
import { decodeContent, encodeContent } from '../sealing/content.ts';
import type { InboundRow, OpenInbound } from '../tables/inbound.ts';
import { rewrite, type Rows } from './rows.ts';

/** Makes the row of an inbound message, with sealed content. */
export function sealInbound(rows: Rows, { text, octets, header, ...row }: OpenInbound): InboundRow {
  return { ...row, content: sealContent(rows, row, { text, octets, header }) };
}

/** Opens the content of an inbound message. The text is missing if it was erased. */
export function openInbound(rows: Rows, { content, ...row }: InboundRow): OpenInbound {
  const { account, id } = row;
  const opened = content && unseal(rows, { account, column: 'inbound.content', id }, content);
  return { ...row, ...(opened ? decodeContent(opened) : { text: null, octets: null, header: null }) };
}

/** Gives an inbound message to another account, and seals it with the key of that account. */
export function giveInbound(
  rows: Rows,
  row: InboundRow,
  route: Pick<InboundRow, 'account' | 'matchedBy' | 'keyword'>,
): OpenInbound {
  const open = { ...openInbound(rows, row), ...route };
  const isErased = open.text === null && open.octets === null;
  rewrite(row, { ...route, content: isErased ? null : sealContent(rows, open, open) });
  return open;
}

function sealContent(
  rows: Rows,
  { account, id }: Pick<InboundRow, 'account' | 'id'>,
  content: Parameters<typeof encodeContent>[0],
) {
  return seal(rows, { account, column: 'inbound.content', id }, encodeContent(content));
}

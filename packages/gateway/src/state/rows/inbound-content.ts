/* Inbound messages are sealed with the key of their account, or of the gateway while they have none. */

import { seal, unseal } from './keys.ts';
import { decodeContent, encodeContent } from '../sealing/content.ts';
import type { InboundRow, KeptInbound, OpenInbound, RecordInbound } from '../tables/inbound.ts';
import { rewrite, type Rows } from './rows.ts';

/** The row of an inbound message. */
export function sealInbound(rows: Rows, { text, octets, header, ...row }: OpenInbound): InboundRow {
  return { ...row, content: sealContent(rows, row, { text, octets, header }) };
}

/** An inbound message with its text, or without it if it was erased. */
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

/** The inbound message that a receipt may be instead, as it is stored. */
export function keepInstead(rows: Rows, inbound: RecordInbound): KeptInbound {
  const { id, octets } = inbound;
  return { ...inbound, octets: seal(rows, { account: null, column: 'or_inbound.octets', id }, octets) };
}

/** The same as it was received. Undefined While commands name their reads, and the key is not there yet. */
export function openInstead(rows: Rows, kept: KeptInbound): RecordInbound | undefined {
  const { id, octets } = kept;
  const opened = unseal(rows, { account: null, column: 'or_inbound.octets', id }, octets);
  return opened && { ...kept, octets: opened };
}

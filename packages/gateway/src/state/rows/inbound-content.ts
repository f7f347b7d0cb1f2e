/* Inbound messages are sealed with the key of their account, or with the gateway's key while they have no account. */

import { seal, unseal } from './keys.ts';
import { decodeContent, encodeContent } from '../sealing/content.ts';
import type { InboundRow, KeptInbound, OpenInbound, RecordInbound } from '../tables/inbound.ts';
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

/** Seals the inbound message that a text may be if it is not a receipt after all. */
export function keepInstead(rows: Rows, inbound: RecordInbound): KeptInbound {
  const { octets, header, ...rest } = inbound;
  const content = encodeContent({ text: null, octets, header });
  return { ...rest, octets: seal(rows, { account: null, column: 'or_inbound.octets', id: rest.id }, content) };
}

/** Opens what `keepInstead` sealed. Returns undefined while commands name their reads and the key is not loaded yet. */
export function openInstead(rows: Rows, kept: KeptInbound): RecordInbound | undefined {
  const { id, octets } = kept;
  const opened = unseal(rows, { account: null, column: 'or_inbound.octets', id }, octets);
  if (!opened) return undefined;
  const { octets: read, header } = decodeContent(opened);
  return { ...kept, octets: read ?? new Uint8Array(0), header };
}

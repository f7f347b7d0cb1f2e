/* Receipts of which no message is known. */

import type { CarrierState } from '../../core/message/receipt.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import { flag, idOf, integer, nullable, personal, sealed, text, word } from './column.ts';
import { query, search } from './lookup.ts';
import { shape, table, type RowOf } from './table.ts';

export const unmatchedReceiptTable = table('unmatched_receipt', {
  erased: 'rows',
  key: ['id'],
  ids: 'traffic',
  indexes: {
    unmatched_receipt_key: { on: ['carrier', 'carrier_id_key'] },
    unmatched_receipt_numbers: { on: ['carrier', 'receiver', 'sender'] },
    unmatched_receipt_why: { on: ['carrier', 'why'] },
  },
  fixed: {
    id: integer,
    carrier: idOf('carrier'),
    carrierIdKey: personal('row', text),
    carrierId: personal('row', text),
    carrierState: nullable(word<CarrierState>()),
    errorCode: nullable(text),
    sender: personal('number', text),
    receiver: personal('number', text),
    receivedAt: integer,
    /** Of a receipt that could not be read, and of one that nothing but its text marks. */
    octets: nullable(personal('text', sealed)),
    /** Nothing but its text marks it as a receipt. */
    isText: flag,
    why: word<UnmatchedWhy>(),
  },
});

export type UnmatchedReceiptRow = RowOf<typeof unmatchedReceiptTable>;

/** The unmatched receipts with an id, in the order of their arrival. */
export const unmatchedOfId = search<[carrier: number, carrierIdKey: string]>()(
  'unmatched_receipt.of-id',
  unmatchedReceiptTable,
);

/** Whether a carrier has unmatched receipts in the store. While it has none, its answers look for none. */
export const hasUnmatched = query<[carrier: number]>()('unmatched_receipt.any', shape({ has: flag }));

/** How many it has. */
export const unmatchedCount = query<[carrier: number]>()('unmatched_receipt.count', shape({ receipts: integer }));

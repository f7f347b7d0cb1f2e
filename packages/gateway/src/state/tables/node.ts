/* The nodes that run on a database, and what they count. */

import { integer, messageId, micros, nullable, text } from './column.ts';
import { by } from './lookup.ts';
import { table, type RowOf } from './table.ts';

/** What the process, a node, must not forget. */
export const nodeTable = table('node', {
  key: ['id'],
  fixed: { id: integer },
  moving: {
    /** No id at or below it is ever given out again, whatever the clock says. */
    lastMessageId: integer,
    /** The owner of a claim. Grows with each start of the node, whose number is its remainder by `nodeCount`. */
    lease: integer,
    /** Every inbound message of the node with an id below it was answered; null before the first start. */
    inboundAnswered: nullable(messageId),
    /** The newest instant at which the clock was trusted. */
    seenAt: integer,
    /** The first instant of an untrusted clock that ran ahead; null for none. */
    untrustedFrom: nullable(integer),
    /** The id of its newest CDR; 0 before the first. */
    lastCdr: integer,
    /** How many groups it has committed. This tells whether the last one was, and whether commits were lost. */
    groups: integer,
  },
});
export type NodeRow = RowOf<typeof nodeTable>;
export const nodeById = by(nodeTable, ['id']);

/**
 * Counts of what the store has, so that its totals are read without its rows. Each node counts in rows of its own, once a
 * group, so that nodes never wait for each other.
 */
export const totalTable = table('total', {
  key: ['node', 'what', 'word'],
  fixed: { node: integer, what: text, word: text, n: integer, amount: micros },
  sums: ['n', 'amount'],
});

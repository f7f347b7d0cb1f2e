/* The nodes that use a database, and their counts. */

import { integer, messageId, micros, nullable, text } from './column.ts';
import { by } from './lookup.ts';
import { table, type RowOf } from './table.ts';

/** The state of a node that must survive a restart. */
export const nodeTable = table('node', {
  key: ['id'],
  fixed: { id: integer },
  moving: {
    /** The highest message id that the node has given out. Only higher ids follow, whatever the clock says. */
    lastMessageId: integer,
    /** The lease of the node owns its claims, and grows with each start. Its remainder by `nodeCount` is the node. */
    lease: integer,
    /** Every inbound message of the node with an id below this one was answered; null before the first start. */
    inboundAnswered: nullable(messageId),
    /** The newest instant at which the node trusted its clock. */
    seenAt: integer,
    /** The first instant of an untrusted clock that ran ahead; null for none. */
    untrustedFrom: nullable(integer),
    /** The id of the node's newest CDR; 0 before the first. */
    lastCdr: integer,
    /** Committed groups of the node: these show whether the last group is there, and whether commits were lost. */
    groups: integer,
  },
});
export type NodeRow = RowOf<typeof nodeTable>;
export const nodeById = by(nodeTable, ['id']);

/**
 * Counts of stored rows, so that totals are read without reading the rows. Each node counts in its own rows, once for
 * each group, so that nodes never wait for each other.
 */
export const totalTable = table('total', {
  key: ['node', 'what', 'word'],
  fixed: { node: integer, what: text, word: text, n: integer, amount: micros },
  sums: ['n', 'amount'],
});

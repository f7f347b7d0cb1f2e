import { accountName } from '../account/settings.ts';
import { pick } from '../../fields/compose.ts';
import type { FieldTable } from '../../fields/field.ts';
import { count, instant, text } from '../../fields/fields.ts';
import { cdrFields } from '../message/cdr.ts';
import { inbound } from '../message/inbound.ts';
import { carrierName, messageFields, summaryFields } from '../message/message-fields.ts';

/*
 * What `privacy export` writes about a person, in the order of the page for people. Times are in milliseconds since
 * 1970, amounts in millionths. The page leaves out members that are not listed here.
 */

interface Exported {
  readonly title: string;
  readonly fields: FieldTable;
}

const { sender, receiver } = summaryFields;
const numbers = { sender, receiver };
const ofAccount = { account: accountName, ...numbers };
const ofCarrier = { carrier: carrierName, ...numbers };
const word = (summary: string) => text({ summary });
const at = (summary: string) => instant({ summary });

export const exportedTables: { readonly [table: string]: Exported } = {
  message: { title: 'Messages', fields: messageFields },
  inbound: { title: 'Inbound messages', fields: inbound.operations.show.answer },
  opt_out: {
    title: 'Opt-outs: no more messages are sent',
    fields: { ...ofAccount, since: at('since when the opt-out is on the list') },
  },
  opt_out_event: {
    title: 'History of opt-outs',
    fields: {
      ...ofAccount,
      at: at('when it happened'),
      wish: word('out: no more messages; in: messages again'),
      word: word('word of the inbound message that caused it'),
      actor: word('operator who recorded it'),
      reason: word('reason that the operator gave'),
    },
  },
  cdr: { title: 'Call detail records', fields: cdrFields },
  unmatched_receipt: {
    title: 'Receipts that match no message',
    fields: { ...ofCarrier, receivedAt: at('when it came'), carrierState: word('state that it reports') },
  },
  rule_hit: {
    title: 'Broken rules: the newest message of each rule',
    fields: {
      ...ofAccount,
      rule: word('name of the rule'),
      refused: count({ summary: 'messages of the account that the rule refused' }),
      firstAt: at('when the rule was first broken'),
      lastAt: at('when the rule was last broken'),
    },
  },
  inbound_part: {
    title: 'Parts of inbound messages that wait for other parts',
    fields: { ...ofCarrier, receivedAt: at('when it came'), octets: word('the octets of the part') },
  },
  inbound_joined: {
    title: 'Memory of joined inbound messages',
    fields: { ...ofCarrier, joinedAt: at('when the parts were joined') },
  },
  inbound_repeat: {
    title: 'Memory of inbound messages that a carrier may repeat',
    fields: { ...ofCarrier, expectedAt: at('until when a repeat is expected') },
  },
  reference: {
    title: 'Memory of concatenation references',
    fields: { ...pick(summaryFields, 'sender', 'receiver'), usedAt: at('when the newest reference was used') },
  },
};

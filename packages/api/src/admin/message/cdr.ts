import { partEnds } from '../../values/message.ts';
import { accountName } from '../account/settings.ts';
import { described, optional, orNone, rows } from '../../fields/compose.ts';
import { amount, count, currency, flag, instant, oneOf, place, rowId, text } from '../../fields/fields.ts';
import type { Values } from '../../fields/field.ts';
import { get, page, resource, whole } from '../resource.ts';
import { counted } from '../../fields/shown.ts';
import { carrierName, echoFields, messageFields, summaryFields } from './message-fields.ts';

/*
 * Call detail records (CDRs): one for each part that has ended. They are for bills to accounts, for statistics, and to
 * check the bills of carriers.
 */

const { msgId, sender, receiver, encoding, numParts, errorCode } = summaryFields;
const { source, submitter, session, dcs, unitPrice, priceList, route, dueAt, acceptedAt } = messageFields;

/**
 * Every record has all fields. Programs that read CSV may rely on the order of the first five. No field has the text of
 * the message.
 */
export const cdrFields = {
  id: rowId({ summary: 'id of the record; ids of one node rise in the order of its commits', label: 'Record' }),
  corrects: orNone(rowId({ summary: 'id of the earlier record that this one corrects; null for the end of a part' })),
  recordedAt: instant({ summary: 'when the gateway wrote the record; periods of exports go by this time' }),
  amount: amount({
    summary:
      'what the account pays by this record; the amounts of all records of a part add up to its charge and refund',
  }),
  currency: currency({ summary: 'currency of the account' }),
  msgId,
  part: count({ summary: 'number of the part' }),
  numParts,
  account: accountName,
  source,
  submitter,
  session,
  sender,
  receiver,
  country: orNone(text({ summary: 'country of the receiver (ISO 3166-1)', example: 'CH' })),
  carrier: orNone(described(carrierName, { summary: 'carrier that accepted or finally refused the part' })),
  route,
  encoding,
  dcs,
  event: oneOf(partEnds, { summary: 'how the part ended' }),
  errorCode,
  unitPrice,
  priceList,
  cost: orNone(
    amount({ summary: 'cost that the carriers charge for the part; null if it is unknown, and in corrections' }),
  ),
  costCurrency: orNone(currency({ summary: 'currency of the cost' })),
  margin: orNone(amount({ summary: 'amount less cost; null if the cost is unknown or in another currency' })),
  acceptedAt,
  dueAt,
  submittedAt: orNone(instant({ summary: 'when the newest attempt was given to its carrier' })),
  answeredAt: orNone(instant({ summary: 'when the carrier answered this attempt' })),
  endedAt: instant({ summary: 'when the part came to this end' }),
  attempts: count({ summary: 'number of attempts to send the part' }),
  carrierMessageId: orNone(text({ summary: 'message id that the carrier assigned', example: '7fa3c0' })),
  entry: count({ summary: 'ledger entry of the charge' }),
  refundEntry: orNone(count({ summary: 'ledger entry of the refund that came with this record' })),
  ...echoFields,
};

const filters = {
  account: optional(described(accountName, { summary: 'only records of this account' })),
  carrier: optional(described(carrierName, { summary: 'only records of parts that this carrier took or refused' })),
};
const to = optional(instant({ summary: 'only records before this time' }));

const cdrSums = {
  currency: cdrFields.currency,
  messages: count({ summary: 'messages that were accepted in the period', addsUp: true }),
  charged: amount({ summary: 'charges of these messages in the ledger', addsUp: true }),
  refunded: amount({ summary: 'refunds of their parts in the ledger', addsUp: true }),
  recorded: amount({ summary: 'amounts of the CDRs of their parts', addsUp: true }),
  open: amount({ summary: 'price of their parts that have not ended', addsUp: true }),
};

const cdrFault = {
  msgId,
  part: count({ summary: 'number of the part' }),
  fault: text({ summary: 'what is wrong' }),
};

const checkFields = {
  sums: rows(cdrSums, { summary: 'sums of this chunk by currency' }),
  faults: rows(cdrFault, { summary: 'parts whose records are wrong' }),
  looked: count({ summary: 'messages or records that this chunk has checked' }),
  next: orNone(
    text({
      summary: 'value of `after` in the next request; null at the end',
      example: 'messages/1021568371490816',
    }),
  ),
};

const checkedAnswer = {
  isRight: flag({ summary: 'whether the records are right' }),
  sums: described(checkFields.sums, { whenEmpty: 'no messages in this period' }),
  faults: checkFields.faults,
};

function checkedOf({ sums, faults }: Values<typeof checkFields>): Values<typeof checkedAnswer> {
  return { isRight: faults.length === 0 && isLedger(sums), sums, faults };
}

function isLedger(sums: readonly Values<typeof cdrSums>[]): boolean {
  return sums.every(({ charged, refunded, recorded, open }) => charged - refunded === recorded + open);
}

function checkFault({ isRight, sums, faults }: Values<typeof checkedAnswer>): string | undefined {
  if (isRight) return undefined;
  return isLedger(sums) ? `the records have ${counted(faults.length, 'fault')}` : 'the records are not the ledger';
}

export const cdr = resource('cdr', {
  summary: 'Call detail records: one for each part at its end',
  operations: {
    list: page('/cdrs', {
      summary: 'List CDRs, oldest first',
      label: 'CDRs',
      role: 'finance',
      input: {
        ...filters,
        from: optional(instant({ summary: 'only records from this time or day on, such as 2026-01-31' })),
        to,
      },
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: cdrFields,
      columns: [
        'id',
        'endedAt',
        { title: 'ACCOUNT', of: ({ account }) => account },
        'msgId',
        { title: 'PART', of: ({ part, numParts: parts }) => `${part}/${parts}` },
        'receiver',
        { title: 'CARRIER', of: ({ carrier }) => carrier ?? '-' },
        'event',
        { title: 'ERROR', of: (row) => row.errorCode ?? '-' },
        'amount',
        'currency',
        { title: 'CORRECTS', of: ({ corrects }) => (corrects === null ? '-' : String(corrects)) },
      ],
      command: {
        examples: {
          'cdr list --from 2026-01-31': 'list the first 50 records of this day',
          'cdr list --account acme --carrier alpha --json': 'list records of one account and carrier as JSON',
        },
        whenEmpty: 'there are no such records',
      },
    }),
    check: get('/cdrs/check', {
      summary: 'Compare the CDRs of a period with the ledger',
      role: 'finance',
      input: {
        account: optional(described(accountName, { summary: 'check only this account' })),
        from: optional(instant({ summary: 'only messages that were accepted from this time or day on' })),
        to: described(to, { summary: 'only messages that were accepted before this time' }),
        after: optional(place(/^(?:messages|records)\/\d{1,16}$/, { typed: [] })),
      },
      answer: checkFields,
      command: {
        examples: {
          'cdr check --from 2026-01-01 --to 2026-02-01': 'check the messages of a month; exit status 1 means faults',
          'cdr check --account acme': 'check all messages of an account',
        },
        whole: whole(checkedAnswer, checkedOf, { fails: checkFault }),
        notes: `For the messages that were accepted in the period: charges - refunds = amounts of CDRs + price of parts that have not ended.
Each part that has ended must have one record of its end, and its corrections must follow from it.`,
      },
    }),
  },
});

import { callbackEvents, type Echo, messageEvents, tagForm, tagPattern, tagsMax } from '../../values/message.ts';
import { accountName } from '../account/settings.ts';
import { described, list, orNone, record, rows } from '../../fields/compose.ts';
import type { Field, Values } from '../../fields/field.ts';
import {
  amount,
  count,
  currency,
  flag,
  instant,
  name,
  octets,
  oneOf,
  rowId,
  text,
  textThat,
} from '../../fields/fields.ts';
import { notificationFields } from '../notification/notification.ts';

/* The fields of a message: those of a list of messages, and those of its whole history. */

export const messageExample = '1021568371490816';
export const carrierName = name({ summary: 'a carrier' });
/** The mark of a field that has a phone number, or a name instead of one. */
export const phoneNumber = { isPersonal: 'number' } as const;
export const content = { isPersonal: true } as const;

export const tag = textThat({ summary: 'a tag' }, (given) => tagPattern.test(given), {
  placeholder: '<word>',
  wants: `must be a word ${tagForm}`,
  schema: { pattern: tagPattern.source },
  example: 'spring-sale',
});

/** The members that a client gives with a message and gets back (`values/message.ts`). */
export const echoFields = {
  clientRef: orNone(text({ label: 'Reference', summary: 'reference that the client gave to the message' })),
  tags: orNone(list(tag, { max: tagsMax, summary: 'tags that the client gave to the message', usual: '' })),
} as const satisfies Record<keyof Echo, Field<unknown>>;

export const summaryFields = {
  msgId: rowId({ summary: 'msgId of the message', label: 'Id', example: messageExample }),
  account: accountName,
  sender: text({ summary: 'sender of the message', ...phoneNumber, example: 'Shop' }),
  receiver: text({ summary: 'receiver of the message', ...phoneNumber, example: '+41791112233' }),
  encoding: text({ summary: 'encoding of the message', example: 'gsm7' }),
  numParts: count({ summary: 'number of parts of the message', label: 'Parts' }),
  totalCost: amount({ summary: 'cost of the message for the account' }),
  currency: currency({ summary: 'currency of the account' }),
  event: oneOf(messageEvents, { summary: 'current event of the message', placeholder: '<event>' }),
  acceptedAt: instant({ summary: 'when the gateway accepted the message' }),
  eventAt: instant({ summary: 'when the current event was recorded', label: 'Since' }),
  errorCode: orNone(text({ summary: 'error code from the carrier', label: 'Error' })),
  ...echoFields,
};

const cost = orNone(
  record(
    { amount: amount({ summary: 'amount of the cost' }), currency: currency({ summary: 'currency of the cost' }) },
    { summary: 'cost that the carriers charge for accepted parts; null if it is unknown' },
  ),
);
const margin = orNone(
  amount({ summary: 'margin (price less cost); null if the cost is unknown or in another currency' }),
);

export const attemptFields = {
  attempt: count({ summary: 'number of the attempt' }),
  carrier: carrierName,
  link: count({ summary: 'number of the carrier’s link' }),
  claimedAt: instant({ summary: 'when the part was reserved for the link' }),
  answeredAt: orNone(instant({ summary: 'when the carrier answered' })),
  outcome: orNone(text({ summary: 'outcome of the attempt', example: 'accepted' })),
  commandStatus: orNone(count({ summary: 'command_status of the carrier’s answer' })),
  commandStatusName: orNone(text({ summary: 'name of the command_status in SMPP', example: 'ESME_ROK' })),
  carrierId: orNone(text({ summary: 'message id that the carrier assigned' })),
  cost,
};

export const partFields = {
  part: count({ summary: 'number of the part' }),
  state: text({ summary: 'state of the part', example: 'delivered' }),
  changedAt: instant({ summary: 'when the state of the part last changed' }),
  deadline: orNone(instant({ summary: 'when the gateway ends this state of the part, if no event ends it earlier' })),
  due: orNone(instant({ summary: 'when the gateway next tries to send the part' })),
  carrier: orNone(described(carrierName, { summary: 'carrier that accepted or finally refused the part' })),
  carrierState: orNone(text({ summary: 'state that the delivery receipt reports' })),
  errorCode: summaryFields.errorCode,
  refundEntry: orNone(count({ summary: 'ledger entry of the refund' })),
  price: amount({ summary: 'price of the part for the account' }),
  cost,
  margin,
  attempts: rows(attemptFields, { summary: 'attempts to send the part' }),
};

const noteFields = {
  at: instant({ summary: 'when the event happened' }),
  part: orNone(count({ summary: 'number of the part; null for the whole message' })),
  kind: text({ summary: 'kind of the event' }),
  detail: text({ summary: 'description of the event', ...phoneNumber }),
};

export const messageFields = {
  ...summaryFields,
  source: text({ summary: 'source of the message: http, smpp or operator', example: 'http' }),
  submitter: orNone(
    text({ summary: 'token id, system_id or operator that submitted the message; null if it was not stored' }),
  ),
  address: orNone(text({ summary: 'IP address of the client', example: '192.0.2.7' })),
  session: orNone(text({ summary: 'id of the client session, shown by `session list`' })),
  dcs: text({ label: 'Encoding', summary: 'dcs that the client requested', example: 'SMS' }),
  text: orNone(
    text({
      summary: 'text of the message; null for octets, and after the text was deleted',
      ...content,
      example: 'Hello',
    }),
  ),
  storeText: flag({ summary: 'whether the text is kept after the carriers have answered' }),
  data: orNone(octets({ summary: 'octets of a message that the client encoded', ...content })),
  erased: flag({ summary: 'whether the text or the octets were erased' }),
  header: orNone(octets({ summary: 'user data header that the client supplied' })),
  callback: orNone(
    record(
      {
        host: text({ summary: 'host of the URL', example: 'example.com' }),
        events: list(oneOf(callbackEvents, { summary: 'an event' }), { summary: 'events that the URL is called for' }),
      },
      { summary: 'callback that the client gave; the whole URL is not shown, because it may contain a secret key' },
    ),
  ),
  flash: flag({ summary: 'whether the phone shows the message at once without storing it (flash)' }),
  dueAt: instant({ summary: 'when the message is due to be sent' }),
  expiresAt: instant({ summary: 'when the validity of the message ends' }),
  unitPrice: amount({ summary: 'price of one part' }),
  priceList: name({ summary: 'price list that the price comes from', example: 'default' }),
  priceVersion: count({ summary: 'version of the price list' }),
  balanceAfter: amount({ summary: 'balance of the account after the charge' }),
  entry: count({ summary: 'ledger entry of the charge' }),
  refunded: amount({ summary: 'sum of the refunds for the message' }),
  cost,
  margin,
  route: text({ summary: 'prefix of the route', example: '41' }),
  parts: rows(partFields, { summary: 'parts of the message' }),
  notes: rows(noteFields, { summary: 'other events of the message' }),
  notifications: rows(notificationFields, { summary: 'notifications to the account about the message' }),
};

/** The error code of an undelivered message. Carriers also send error code 000 for delivered messages. */
export function errorOf({ event, errorCode }: Pick<Values<typeof summaryFields>, 'event' | 'errorCode'>): string {
  return event === 'delivered' ? '' : (errorCode ?? '');
}

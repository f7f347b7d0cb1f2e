import { messageEvents } from '../../values/message.ts';
import { accountName } from '../account/settings.ts';
import { described, list, orNone, record } from '../compose.ts';
import type { Values } from '../field.ts';
import { amount, count, currency, flag, instant, name, octets, oneOf, rowId, text } from '../fields.ts';
import { notificationFields } from '../notification/notification.ts';

/* The gateway's answers about a message: its row in a list, and its whole history. */

export const messageExample = '1021568371490816';
export const carrierName = name({ summary: 'a carrier' });
export const personal = { isPersonal: true } as const;

/** A row of a list, without the text. */
export const summaryFields = {
  msgId: rowId({ summary: 'its id', title: 'ID', example: messageExample }),
  account: accountName,
  sender: text({ summary: 'its sender', ...personal, example: 'Shop' }),
  receiver: text({ summary: 'its receiver', ...personal, example: '+41791112233' }),
  encoding: text({ summary: 'its encoding', example: 'gsm7' }),
  numParts: count({ summary: 'its parts', title: 'PARTS' }),
  totalCost: amount({ summary: 'cost to its account' }),
  currency: currency({ summary: 'currency of its account' }),
  event: oneOf(messageEvents, { summary: 'last event', placeholder: '<event>' }),
  acceptedAt: instant({ summary: 'when it was accepted' }),
  eventAt: instant({ summary: 'when its event was reached', title: 'SINCE' }),
  errorCode: orNone(text({ summary: 'error code of its carrier', title: 'ERROR' })),
  clientRef: orNone(text({ summary: 'reference of the client' })),
};

const cost = orNone(
  record(
    { amount: amount({ summary: 'how much' }), currency: currency({ summary: 'its currency' }) },
    { summary: 'cost at the carriers of accepted parts; null if it is not known' },
  ),
);
const margin = orNone(amount({ summary: 'margin; null if the cost is not known, or in another currency' }));

const attemptFields = {
  attempt: count({ summary: 'its number' }),
  carrier: carrierName,
  link: count({ summary: 'link of the carrier' }),
  claimedAt: instant({ summary: 'when the link took the part' }),
  answeredAt: orNone(instant({ summary: 'when the carrier answered' })),
  outcome: orNone(text({ summary: 'meaning of the answer', example: 'accepted' })),
  commandStatus: orNone(count({ summary: 'status of the answer' })),
  commandStatusName: orNone(text({ summary: 'its name in SMPP', example: 'ESME_ROK' })),
  carrierId: orNone(text({ summary: "the carrier's message id" })),
  cost,
};

const partFields = {
  part: count({ summary: 'its number' }),
  state: text({ summary: 'its state', example: 'delivered' }),
  changedAt: instant({ summary: 'since when' }),
  deadline: orNone(instant({ summary: 'when its state ends by itself' })),
  due: orNone(instant({ summary: 'when it is tried next' })),
  carrier: orNone(described(carrierName, { summary: 'carrier that took it, or refused it for good' })),
  carrierState: orNone(text({ summary: 'state in its receipt' })),
  errorCode: summaryFields.errorCode,
  refundEntry: orNone(count({ summary: 'entry of its refund' })),
  price: amount({ summary: 'price for its account' }),
  cost,
  margin,
  attempts: list(record(attemptFields, { summary: 'an attempt' }), { summary: 'its attempts' }),
};

const noteFields = {
  at: instant({ summary: 'when' }),
  part: orNone(count({ summary: 'which part' })),
  kind: text({ summary: 'what happened' }),
  detail: text({ summary: 'a sentence about it' }),
};

/** Everything about one message. */
export const messageFields = {
  ...summaryFields,
  source: text({ summary: 'how it came: http, smpp, operator', example: 'http' }),
  submitter: orNone(text({ summary: 'id of a token, system_id or operator; null where it was not kept' })),
  address: orNone(text({ summary: 'address of the client', example: '192.0.2.7' })),
  session: orNone(text({ summary: 'session of the client, as session list shows it' })),
  dcs: text({ summary: 'encoding that the client asked for', example: 'SMS' }),
  text: orNone(text({ summary: 'its text', ...personal, example: 'Hello' })),
  data: orNone(octets({ summary: 'octets that were sent, if the client encoded it', ...personal })),
  header: orNone(octets({ summary: 'user data header, where the client made it' })),
  flash: flag({ summary: 'whether it is shown at once and not kept by the phone' }),
  dueAt: instant({ summary: 'when it is sent' }),
  expiresAt: instant({ summary: 'how long it is tried' }),
  unitPrice: amount({ summary: 'price of a part' }),
  priceList: name({ summary: 'price list of that price', example: 'default' }),
  priceVersion: count({ summary: 'version of the list' }),
  balanceAfter: amount({ summary: 'balance after it' }),
  entry: count({ summary: 'entry of its charge' }),
  refunded: amount({ summary: 'refunds' }),
  cost,
  margin,
  route: text({ summary: 'prefix of its route', example: '41' }),
  parts: list(record(partFields, { summary: 'a part' }), { summary: 'its parts' }),
  notes: list(record(noteFields, { summary: 'a note' }), { summary: 'other events' }),
  notifications: list(record(notificationFields, { summary: 'a notification' }), {
    summary: 'how its account was notified of what became of it',
  }),
};

/** Why a message is not delivered. Carriers send an error code of zeros for delivered ones, too. */
export function errorOf({ event, errorCode }: Pick<Values<typeof summaryFields>, 'event' | 'errorCode'>): string {
  return event === 'delivered' ? '' : (errorCode ?? '');
}

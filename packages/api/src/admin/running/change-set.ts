import { described, orNone, rows } from '../../fields/compose.ts';
import { amount, count, currency, flag, instant, name, oneOf, place, prefix, text } from '../../fields/fields.ts';
import { get, page, post, remove, resource } from '../resource.ts';
import { applyAnswer, configInput, planFields } from './config.ts';

/*
 * Change sets: named drafts of changes to the settings, in the form of a settings file. A draft shows its differences,
 * and replays the last hour's messages, before it is applied in one commit.
 */

const setName = name({ summary: 'name of the change set', example: 'cheaper-swiss' });
const key = { changeSet: setName };

const fields = {
  changeSet: setName,
  state: oneOf(['draft', 'applied'], { summary: 'whether it is a draft, or is applied' }),
  prune: flag({ summary: 'whether it removes what is not in its document, of each kind that the document has' }),
  createdAt: instant({ summary: 'when it was made' }),
  createdBy: text({ summary: 'operator who made it', example: 'anna' }),
  appliedAt: orNone(instant({ summary: 'when it was applied; null if it was not' })),
  appliedBy: orNone(text({ summary: 'operator who applied it', example: 'anna' })),
};

const document = text({
  summary: 'document with the wanted settings, as JSON; an object with `remove: true` is removed',
  example: '{"routes":[{"prefix":"41","carrier":"alpha","rank":2}]}',
  placeholder: '<json>',
});

const outcomes = ['carrier', 'waiting', 'no_route', 'no_price'] as const;
const outcome = {
  kind: oneOf(outcomes, {
    summary: 'where messages go: to a carrier, or nowhere, because they wait, or have no route or no price',
    label: 'Outcome',
  }),
  carrier: orNone(name({ summary: 'carrier that takes them; null for none' })),
};
/** Where messages go, as one word of a table. */
function placeText(kind: (typeof outcomes)[number], carrier: string | null): string {
  return carrier ?? kind.replace('_', ' ');
}

const parts = (summary: string, label: string) => count({ summary, label });

const carrierFields = {
  ...outcome,
  before: parts('parts with the present settings', 'Parts'),
  after: parts('parts with the change set', 'After'),
  movedFrom: parts('parts that leave', 'Leave'),
  movedTo: parts('parts that come', 'Come'),
};

const moneyFields = {
  currency: currency({ summary: 'currency of the accounts' }),
  price: amount({ summary: 'prices of the messages with the present settings' }),
  priceAfter: amount({ summary: 'prices with the change set' }),
  cost: orNone(
    amount({ summary: 'costs of the parts whose cost is known, with the present settings; null if none is' }),
  ),
  costAfter: orNone(amount({ summary: 'costs with the change set' })),
  margin: orNone(amount({ summary: 'price less cost of these parts, with the present settings' })),
  marginAfter: orNone(amount({ summary: 'margin with the change set' })),
  unknownParts: parts('parts without a known cost, with the present settings', 'Cost unknown'),
  unknownPartsAfter: parts('parts without a known cost, with the change set', 'Unknown after'),
};

const orPrice = (summary: string) => orNone(amount({ summary }));
const orPrefix = (summary: string) => orNone(prefix({ summary }));
const exampleFields = {
  msgId: text({ label: 'Message', summary: 'id of the message' }),
  account: name({ summary: 'account of the message' }),
  receiver: text({ summary: 'phone number of the receiver', isPersonal: 'number' }),
  numParts: count({ summary: 'number of parts', label: 'Parts' }),
  ...outcome,
  route: orPrefix('prefix of the route'),
  price: orPrice('price of a part'),
  cost: orPrice('cost of a part; null if it is unknown'),
  kindAfter: described(outcome.kind, { summary: 'where it goes with the change set', label: 'After' }),
  carrierAfter: orNone(name({ summary: 'carrier with the change set' })),
  routeAfter: orPrefix('prefix of the route with the change set'),
  priceAfter: orPrice('price of a part with the change set'),
  costAfter: orPrice('cost of a part with the change set'),
};

export const replayFields = {
  from: instant({ summary: 'time of the first replayed messages' }),
  to: instant({ summary: 'time of the last replayed messages' }),
  accepted: count({ summary: 'messages that were accepted in this time' }),
  messages: count({ summary: 'messages that were replayed: all, or an even sample of more than 200,000 messages' }),
  parts: count({ summary: 'parts of the replayed messages; all other figures count these' }),
  changed: count({ summary: 'replayed messages whose carrier, route, price or cost changes' }),
  carriers: rows(carrierFields, {
    columns: [
      { title: 'CARRIER', of: ({ kind, carrier }) => placeText(kind, carrier) },
      'before',
      'after',
      'movedFrom',
      'movedTo',
    ],
    summary: 'parts of each carrier before and after, and parts without a carrier',
    whenEmpty: 'no message was accepted in the last hour',
  }),
  money: rows(moneyFields, { summary: 'prices, costs and margins, by currency' }),
  examples: rows(exampleFields, {
    columns: [
      'msgId',
      'account',
      'receiver',
      'numParts',
      { title: 'FROM', of: ({ kind, carrier }) => placeText(kind, carrier) },
      'price',
      'cost',
      { title: 'TO', of: ({ kindAfter, carrierAfter }) => placeText(kindAfter, carrierAfter) },
      'priceAfter',
      'costAfter',
    ],
    summary: 'messages that change, at most 20',
    whenEmpty: 'no message changes',
  }),
};

export const changeSet = resource('changeSet', {
  changes: 'all',
  command: 'change-set',
  summary:
    'Change sets: drafts of changes to routes, prices and other settings, which can be tried before they are applied',
  operations: {
    add: post('/change-sets', {
      repeat: 'same',
      summary: 'Store a draft of changes; nothing else is changed',
      role: 'viewer',
      input: { changeSet: setName, config: document, prune: configInput.prune },
      answer: { ...fields, ...planFields },
    }),
    list: page('/change-sets', {
      summary: 'List the change sets, the newest first',
      input: {},
      after: place(/^\d{1,15}$/),
      answer: fields,
      columns: ['changeSet', 'state', 'createdAt', 'createdBy', 'appliedAt', 'appliedBy'],
      command: {
        examples: { 'change-set list': 'show all drafts and applied change sets' },
        whenEmpty: 'there are no change sets yet; make one with change-set add',
      },
    }),
    show: get('/change-sets/{changeSet}', {
      summary: 'Show a change set, and what its apply would change now',
      input: key,
      answer: { ...fields, config: document, ...planFields },
      command: {
        arguments: ['changeSet'],
        examples: { 'change-set show cheaper-swiss': 'show its differences to the present settings' },
      },
    }),
    replay: post('/change-sets/{changeSet}/replay', {
      summary: 'Replay the messages of the last hour with the change set: carriers, prices and costs before and after',
      label: 'Replay',
      role: 'viewer',
      isChange: false,
      input: key,
      answer: replayFields,
      command: {
        arguments: ['changeSet'],
        examples: { 'change-set replay cheaper-swiss': 'show which parts would move, and what they would cost' },
        notes: `Both sides see the links that are bound now, with room for each message. Limits of accounts are not checked, and
nothing is sent or stored. Of more than 200,000 messages, an even sample is replayed.`,
      },
    }),
    apply: post('/change-sets/{changeSet}/apply', {
      repeat: 'same',
      summary: 'Apply a change set in one commit: all of its changes are made, or none',
      role: 'viewer',
      input: {
        ...key,
        version: described(planFields.version, { summary: 'version that its differences were shown for' }),
      },
      answer: { ...fields, ...applyAnswer },
    }),
    undo: post('/change-sets/{changeSet}/undo', {
      repeat: 'same',
      summary: 'Make a draft that undoes an applied change set, unless its settings have changed since',
      label: 'Undo',
      role: 'viewer',
      input: key,
      answer: { ...fields, ...planFields },
      when: ({ state }) => state === 'applied',
      command: {
        arguments: ['changeSet'],
        examples: { 'change-set undo cheaper-swiss': 'make the draft undo-cheaper-swiss' },
      },
    }),
    remove: remove('/change-sets/{changeSet}', {
      summary: 'Remove a change set; the settings stay as they are',
      role: 'viewer',
      input: key,
      answer: key,
      command: {
        arguments: ['changeSet'],
        examples: { 'change-set remove cheaper-swiss': 'drop the draft' },
        says: ({ changeSet: gone }) => `change set ${gone} is removed`,
      },
    }),
  },
});

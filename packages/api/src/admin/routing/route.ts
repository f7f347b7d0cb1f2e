import { rankOrders, routeEncodings } from '../../values/routing.ts';
import { refused } from '../../values/result.ts';
import {
  advanced,
  changes,
  described,
  group,
  optional,
  optionals,
  orNone,
  pick,
  record,
  rows,
} from '../../fields/compose.ts';
import type { Field } from '../../fields/field.ts';
import { durationIn } from '../../fields/duration.ts';
import {
  amount,
  count,
  currency,
  flag,
  instant,
  name,
  oneOf,
  place,
  prefix,
  prefixText,
  text,
  wholeNumber,
} from '../../fields/fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';

/* A route has a match, which selects messages, and carriers. A list has one row for each carrier of a route. */

/** Highest cost in whole currency units, as the highest price. */
const costMax = 1_000_000_000;
/** The longest `after`, in seconds: the longest validity of a message, because no message waits longer. */
const afterMax = 72 * 3_600;

const routePrefix = prefix({
  summary: 'first digits of receivers, country code first',
  help: 'The route for every number takes all without a longer route.',
});
const carrierName = name({ summary: 'carrier that sends the messages of the route', placeholder: '<name>' });

/** The conditions of a match besides the prefix. The gateway checks the form of the sender. */
const narrow = {
  sender: text({
    summary: 'only messages from this sender, or from all senders with these first characters, such as "ACME*"',
    placeholder: '<sender>',
  }),
  account: name({ summary: 'only messages of this account' }),
  encoding: oneOf(routeEncodings, { summary: 'only messages in this encoding' }),
};
const match = group('Messages', { prefix: routePrefix, ...optionals(narrow) });

/** A condition in an answer. null matches every message, and a table shows null as `(any)`. */
function shown<T>(field: Field<T, 'must'>): Field<T | null, 'must'> {
  const orNull = described(orNone(field), { usual: '(any)' });
  return { ...orNull, cell: (value) => (value === null ? '(any)' : field.cell(value)) };
}

/** A new value for a condition. `any` and an empty text remove the condition; `none` is refused. */
function orAny<T extends string>(
  field: Field<T, 'must'>,
  summary: string,
  any: string,
): Field<T | null | undefined, 'may'> {
  const { enum: words } = field.schema;
  return optional<T | null>({
    ...(described(field, { summary, special: { any } }) as Field<T | null, 'must'>),
    schema: Array.isArray(words) ? { ...field.schema, enum: [...words, 'any'] } : field.schema,
    read: (given) => {
      if (given === 'none') return refused('must not be none: give any to match every message');
      return given === '' || given === 'any' ? { ok: true, value: null } : field.read(given);
    },
    json: (value) => value ?? 'any',
  });
}

/** The settings of a carrier in a route; `by` is a setting of the whole route. */
const settings = {
  rank: wholeNumber({
    min: 1,
    max: 100,
    summary:
      'rank of the carrier: 1 is tried first, and a higher rank if no carrier of the lower rank is bound or accepts',
    usual: '1',
  }),
  weight: wholeNumber({
    min: 1,
    max: 1_000,
    summary: 'share of the carrier among the carriers with the same rank',
    usual: '1',
  }),
  cost: orNone(
    amount({
      min: 0,
      max: costMax,
      summary: 'cost of one part in the currency of the account',
      special: { none: 'cost in the cost list' },
      usual: '',
    }),
  ),
  after: orNone(
    durationIn('s', {
      min: 0,
      max: afterMax,
      summary: 'wait after which the next rank may also send a message',
      special: { none: 'never' },
      label: 'Next after',
      usual: '',
    }),
  ),
  by: oneOf(rankOrders, {
    label: 'Among equals',
    summary: 'choice between carriers with the same rank',
    words: { weight: 'By weight', cost: 'Least cost first' },
    usual: 'weight',
  }),
};

export const routeFields = {
  prefix: routePrefix,
  sender: shown(narrow.sender),
  account: shown(narrow.account),
  encoding: shown(narrow.encoding),
  carrier: carrierName,
  ...settings,
};

const added = {
  ...match,
  ...group('Carrier', {
    carrier: carrierName,
    rank: optional(settings.rank, 1),
    weight: optional(settings.weight, 1),
    cost: optional(settings.cost),
    after: optional(described(settings.after, { defaultText: 'never' })),
    by: optional(described(settings.by, { defaultText: 'weight' })),
  }),
};
const removed = {
  ...match,
  carrier: optional(described(carrierName, { summary: 'remove only this carrier from the route' })),
};

const change = {
  ...group('The route', {
    ...match,
    carrier: optional(
      described(carrierName, {
        summary: 'carrier of the route whose settings change',
        defaultText: 'the only carrier of the route',
      }),
    ),
  }),
  ...group('Its carrier', {
    newCarrier: optional(
      described(carrierName, { summary: 'new carrier that replaces the carrier, with the same rank, weight and wait' }),
    ),
    ...changes(settings),
  }),
  ...advanced('Its messages', {
    newPrefix: optional(described(routePrefix, { summary: 'new prefix of the route' })),
    newSender: orAny(narrow.sender, 'new sender of the route, such as ACME or "ACME*"', 'every sender'),
    newAccount: orAny(narrow.account, 'new account of the route', 'every account'),
    newEncoding: orAny(narrow.encoding, 'new encoding of the route', 'both encodings'),
  }),
};

/** A route that was considered for a message, because its prefix fits the receiver. */
export const consideredFields = {
  ...pick(routeFields, 'prefix', 'sender', 'account', 'encoding'),
  verdict: text({ summary: 'whether the message takes this route, or why not' }),
};

export const candidateFields = {
  ...pick(routeFields, 'carrier', 'rank', 'weight'),
  cost: orNone(amount({ summary: 'carrier’s cost of one part; null if it is unknown' })),
  costCurrency: orNone(currency({ summary: 'currency of the cost' })),
  margin: orNone(
    amount({ summary: 'margin of one part (price less cost); null if the currencies differ or the cost is unknown' }),
  ),
  after: routeFields.after,
  status: text({ summary: 'status of the carrier' }),
  hasRoom: flag({ label: 'Room', summary: 'whether a link of the carrier has room for a part' }),
  unboundSince: orNone(instant({ summary: 'since when no link of the carrier has been bound' })),
  verdict: text({ summary: 'whether the carrier takes the message now, as one word' }),
  why: text({ summary: 'whether the carrier takes the message now, as a sentence', label: 'Verdict' }),
};

const candidateColumns = ['carrier', 'rank', 'weight', 'after', 'cost', 'costCurrency', 'margin', 'why'] as const;

export const route = resource('route', {
  changes: ['message', 'carrier'],
  summary: 'Routes, which choose the carriers of a message by its receiver',
  operations: {
    add: post('/routes', {
      repeat: 'same',
      summary: 'Add a route, or a carrier to a route; the route with the longest prefix is used',
      input: added,
      answer: added,
      command: {
        examples: {
          'route add --prefix 41 --carrier alpha': 'send messages to Switzerland through alpha',
          'route add --prefix "" --carrier beta': 'send messages to all other numbers through beta',
          'route add --prefix 41 --carrier beta --rank 2':
            'send messages to Switzerland through beta while alpha is down',
          'route add --prefix 41 --sender "ACME*" --carrier gamma':
            'send messages to Switzerland from senders such as ACME1 through gamma',
        },
        says: ({ prefix: digits, carrier, rank, by }) => {
          const ifNeeded = rank > 1 ? ' if no carrier with a lower rank is bound or accepts them' : '';
          const order = by === 'cost' ? 'least cost' : 'weight';
          const ofAll = `; the route now chooses among carriers with the same rank by ${order}`;
          return `messages to ${prefixText(digits)} go through ${carrier}${ifNeeded}${by === undefined ? '' : ofAll}`;
        },
      },
    }),
    set: patch('/routes', {
      summary: 'Change the carriers or the match of a route; its waiting messages follow the change',
      input: change,
      answer: {
        before: rows(routeFields, { summary: 'carriers of the route before the change' }),
        after: rows(routeFields, { summary: 'carriers of the route after the change' }),
        moved: count({ summary: 'number of waiting messages that the change moved' }),
      },
      command: {
        examples: {
          'route set --prefix 41 --new-carrier beta':
            'replace the only carrier of the route by beta, also for waiting messages',
          'route set --prefix 41 --carrier alpha --rank 2': 'try alpha after the carriers of rank 1',
          'route set --prefix 414 --new-prefix 41': 'correct the prefix of a route',
        },
        notes: `Waiting messages use the changed carriers at once. Parts that were already sent stay with their carrier. Messages keep
their prices. If the match changes, waiting messages keep the route; use message reroute to move them.`,
      },
    }),
    list: page('/routes', {
      summary: 'List all routes',
      input: {},
      after: place(/^\d{1,15}\/\d{1,15}$/),
      answer: { ...routeFields, createdAt: instant({ summary: 'when the carrier was added to the route' }) },
      command: {
        examples: { 'route list': 'show all routes with their carriers' },
        whenEmpty: 'there are no routes yet; add a route with route add',
      },
    }),
    remove: remove('/routes', {
      summary: 'Remove a route, or one carrier of a route; its waiting messages stay in the queue',
      input: removed,
      answer: removed,
      command: {
        examples: {
          'route remove --prefix 41': 'send messages to Switzerland by a shorter prefix, or refuse them',
          'route remove --prefix 41 --carrier beta': 'remove only the carrier beta from the route',
        },
        says: ({ prefix: digits, carrier }) =>
          carrier === undefined
            ? `the route for ${prefixText(digits)} is removed`
            : `messages to ${prefixText(digits)} no longer go through ${carrier}`,
      },
    }),
    explain: get('/routes/explain', {
      summary: 'Show which route and carrier a message would take now, and why',
      input: {
        account: name({ summary: 'account that sends the message' }),
        receiver: text({
          summary: 'phone number of the receiver',
          placeholder: '<number>',
          isPersonal: 'number',
          example: '+41791234567',
        }),
        sender: optional(text({ summary: 'sender of the message', placeholder: '<sender>' })),
        text: optional(
          text({ summary: 'text of the message, which determines its encoding and number of parts', isPersonal: true }),
        ),
        encoding: optional(oneOf(routeEncodings, { summary: 'encoding of the message', defaultText: 'gsm7' })),
      },
      answer: {
        account: name({ summary: 'account that sends the message' }),
        receiver: text({ summary: 'phone number of the receiver', isPersonal: 'number' }),
        sender: orNone(text({ summary: 'sender of the message' })),
        encoding: text({ summary: 'encoding of the message' }),
        numParts: count({ label: 'Parts', summary: 'number of parts of the message' }),
        refusal: orNone(
          record(
            {
              code: text({ summary: 'code of the refusal' }),
              detail: text({ summary: 'reason of the refusal, as a sentence' }),
            },
            { summary: 'refusal that the message would get; null if the gateway would accept it' },
          ),
        ),
        route: orNone(prefix({ summary: 'prefix of the route' })),
        unitPrice: orNone(amount({ summary: 'price of one part' })),
        currency: currency({ summary: 'currency of the account' }),
        chosen: orNone(name({ summary: 'carrier that would take the message now' })),
        routes: rows(consideredFields, {
          summary: 'routes whose prefix fits the receiver, in the order of precedence',
          whenEmpty: 'no route has a prefix of this number',
        }),
        by: orNone(settings.by),
        carriers: rows(candidateFields, { columns: candidateColumns, summary: 'carriers of the route' }),
      },
      command: {
        examples: {
          'route explain --account shop --receiver +41791234567':
            'show the route and the carrier for this receiver, and the reasons',
          'route explain --account shop --receiver +41791234567 --sender ACME':
            'show the route for a sender, which may have its own route',
        },
      },
    }),
  },
});

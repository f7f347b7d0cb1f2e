import { rankOrders, routeEncodings } from '../../values/routing.ts';
import { refused } from '../../values/result.ts';
import { changes, described, list, optional, optionals, orNone, pick, record } from '../compose.ts';
import type { Field } from '../field.ts';
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
} from '../fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';

/*
 * Routes: which messages go through which carriers. A route has a match and carriers; a list has a row for each
 * carrier.
 */

/** Whole units a part, as prices have. */
const costMax = 1_000_000_000;
/** The longest validity, in seconds: no message waits longer. */
const afterMax = 72 * 3_600;

const routePrefix = prefix({ summary: 'how numbers begin, country code first; "" for every number' });
const carrierName = name({ summary: 'carrier that sends them', placeholder: '<name>' });

/** The parts of a match in a request. The gateway checks the form of a sender. */
const narrow = {
  sender: text({ summary: 'only from this sender, or from senders that begin so: "ACME*"', placeholder: '<sender>' }),
  account: name({ summary: 'only of this account' }),
  encoding: oneOf(routeEncodings, { summary: 'only in this encoding' }),
};
const match = { prefix: routePrefix, ...optionals(narrow) };

/** A part of a match in an answer: null is for every message, shown in a table as `(any)`. */
function shown<T>(field: Field<T, 'must'>): Field<T | null, 'must'> {
  const orNull = described(orNone(field), { usual: '(any)' });
  return { ...orNull, cell: (value) => (value === null ? '(any)' : field.cell(value)) };
}

/** A new part of a match: `any` or an empty text widens the match to every message, and `none` is refused. */
function orAny<T extends string>(field: Field<T, 'must'>, summary: string): Field<T | null | undefined, 'may'> {
  const { enum: words } = field.schema;
  return optional<T | null>({
    ...(described(field, { summary }) as Field<T | null, 'must'>),
    schema: Array.isArray(words) ? { ...field.schema, enum: [...words, 'any'] } : field.schema,
    read: (given) => {
      if (given === 'none') return refused('must be any for every message, not none');
      return given === '' || given === 'any' ? { ok: true, value: null } : field.read(given);
    },
    json: (value) => value ?? 'any',
  });
}

/** Settings of one carrier in the route, except `by`, which belongs to the whole route. */
const settings = {
  rank: wholeNumber({
    min: 1,
    max: 100,
    summary: '1 comes first; the next rank when no carrier of this one is up, or all refuse',
    usual: '1',
  }),
  weight: wholeNumber({ min: 1, max: 1_000, summary: 'its share among the carriers of its rank', usual: '1' }),
  cost: orNone(
    amount({
      min: 0,
      max: costMax,
      summary: 'its cost of a part in the currency of the account; or none for that of its cost list',
      usual: '',
    }),
  ),
  after: orNone(
    wholeNumber({
      min: 0,
      max: afterMax,
      summary: 'wait after which the next rank may have a message, too; or none for never',
      unit: 's',
      title: 'NEXT AFTER',
      usual: '',
    }),
  ),
  by: oneOf(rankOrders, {
    summary: 'order of the carriers of a rank: weight, or least cost for the receiver first',
    usual: 'weight',
  }),
};

/** A carrier of a route. */
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
  carrier: carrierName,
  rank: optional(settings.rank, 1),
  weight: optional(settings.weight, 1),
  cost: optional(settings.cost),
  after: optional(described(settings.after, { defaultText: 'never' })),
  by: optional(described(settings.by, { defaultText: 'weight' })),
};
const removed = { ...match, carrier: optional(described(carrierName, { summary: 'only this carrier of it' })) };

const change = {
  ...match,
  carrier: optional(
    described(carrierName, { summary: 'carrier whose settings change', defaultText: 'the only carrier of the route' }),
  ),
  newCarrier: optional(described(carrierName, { summary: 'carrier that takes its place, rank, weight and wait' })),
  ...changes(settings),
  newPrefix: optional(described(routePrefix, { summary: 'prefix that the route has from now on' })),
  newSender: orAny(narrow.sender, 'sender, or beginning of one, that it is for; any for every sender'),
  newAccount: orAny(narrow.account, 'account that it is for; any for every account'),
  newEncoding: orAny(narrow.encoding, 'encoding that it is for; any for both'),
};

/** A route with a prefix of the receiver, in the order of precedence. */
export const consideredFields = {
  ...pick(routeFields, 'prefix', 'sender', 'account', 'encoding'),
  verdict: text({ summary: 'whether it is the route of the message, and if not, why' }),
};

/** A carrier of the route of the message. */
export const candidateFields = {
  ...pick(routeFields, 'carrier', 'rank', 'weight'),
  cost: orNone(amount({ summary: 'its cost of a part; null where it is unknown' })),
  costCurrency: orNone(currency({ summary: 'currency of that cost' })),
  margin: orNone(amount({ summary: 'price less cost of a part; null where they cannot be compared' })),
  after: routeFields.after,
  status: text({ summary: 'whether it sends' }),
  hasRoom: flag({ summary: 'whether its links have room' }),
  unboundSince: orNone(instant({ summary: 'since when none of its links is bound' })),
  verdict: text({ summary: 'whether it takes the message now, in one word' }),
  why: text({ summary: 'verdict, as a sentence', title: 'VERDICT' }),
};

export const route = resource('route', {
  summary: 'Which numbers go through which carrier',
  operations: {
    add: post('/routes', {
      summary:
        'Send the numbers of a prefix through a carrier; the longest prefix wins, and another carrier joins the first',
      input: added,
      answer: added,
      command: {
        examples: [
          ['route add --prefix 41 --carrier alpha', 'Switzerland through alpha'],
          ['route add --prefix "" --carrier beta', 'all other numbers through beta'],
          ['route add --prefix 41 --carrier beta --rank 2', 'and Switzerland through beta while alpha is not there'],
          ['route add --prefix 41 --sender "ACME*" --carrier gamma', 'messages of ACME there go through gamma'],
        ],
        says: ({ prefix: digits, carrier, by }) => {
          const order = by === 'cost' ? 'least cost' : 'weight';
          const ofAll = `; in each rank, all carriers of this route are chosen by ${order} from now on`;
          return `${prefixText(digits)} goes through ${carrier}${by === undefined ? '' : ofAll}`;
        },
      },
    }),
    set: patch('/routes', {
      summary: 'Change a route in place: its carriers, their ranks and costs, or its match; what waits on it follows',
      input: change,
      answer: {
        before: list(record(routeFields, { summary: 'a carrier' }), { summary: 'its carriers before' }),
        after: list(record(routeFields, { summary: 'a carrier' }), { summary: 'its carriers now' }),
        moved: count({ summary: 'waiting messages that changed their place with it' }),
      },
      command: {
        examples: [
          ['route set --prefix 41 --new-carrier beta', 'Switzerland through beta instead, what waits among it'],
          ['route set --prefix 41 --carrier alpha --rank 2', 'alpha behind the others'],
          ['route set --prefix 414 --new-prefix 41', 'a slip in the prefix'],
        ],
        notes: `Waiting messages use the carriers of the route at once. Parts that a carrier has, or may have, stay with it. Prices stay as they were
when messages were accepted. After a new match, waiting messages keep the route; message reroute finds their routes anew.`,
      },
    }),
    list: page('/routes', {
      summary: 'List all routes',
      input: {},
      after: place(/^\d{1,15}\/\d{1,15}$/),
      answer: { ...routeFields, createdAt: instant({ summary: 'when the carrier was added' }) },
      command: {
        examples: [['route list', 'the carriers of each prefix']],
        whenEmpty: 'there are no routes yet: make one with route add',
      },
    }),
    remove: remove('/routes', {
      summary: 'Remove a route, or one carrier of it; what waits on it goes on',
      input: removed,
      answer: removed,
      command: {
        examples: [
          ['route remove --prefix 41', 'Switzerland by a shorter prefix, or not at all'],
          ['route remove --prefix 41 --carrier beta', 'only without beta'],
        ],
        says: ({ prefix: digits, carrier }) =>
          carrier === undefined
            ? `${prefixText(digits)} has no route of its own any more`
            : `${prefixText(digits)} goes through ${carrier} no more`,
      },
    }),
    explain: get('/routes/explain', {
      summary: 'Show where a message would go now, and why not elsewhere',
      input: {
        account: name({ summary: 'account that sends it' }),
        receiver: text({ summary: 'its receiver', placeholder: '<number>', isPersonal: true, example: '+41791234567' }),
        sender: optional(text({ summary: 'its sender', placeholder: '<sender>' })),
        text: optional(text({ summary: 'its text, which decides its encoding and parts', isPersonal: true })),
        encoding: optional(oneOf(routeEncodings, { summary: 'its encoding', defaultText: 'gsm7' })),
      },
      answer: {
        account: name({ summary: 'account that sends it' }),
        receiver: text({ summary: 'its receiver', isPersonal: true }),
        sender: orNone(text({ summary: 'its sender' })),
        encoding: text({ summary: 'its encoding' }),
        numParts: count({ summary: 'its parts' }),
        refusal: orNone(
          record(
            { code: text({ summary: 'code of the refusal' }), detail: text({ summary: 'a sentence for people' }) },
            { summary: 'why the gateway would refuse it' },
          ),
        ),
        route: orNone(prefix({ summary: 'prefix of its route' })),
        unitPrice: orNone(amount({ summary: 'price of a part' })),
        currency: currency({ summary: 'currency of the account' }),
        chosen: orNone(name({ summary: 'carrier that takes it now' })),
        routes: list(record(consideredFields, { summary: 'a route' }), {
          summary: 'routes with a prefix of the receiver',
        }),
        by: orNone(settings.by),
        carriers: list(record(candidateFields, { summary: 'a carrier' }), { summary: 'carriers of its route' }),
      },
      command: {
        examples: [
          ['route explain --account shop --receiver +41791234567', 'the route, the carrier, and the reasons'],
          [
            'route explain --account shop --receiver +41791234567 --sender ACME',
            'for a sender that may have its own route',
          ],
        ],
      },
    }),
  },
});

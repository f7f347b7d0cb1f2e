import { hostAndPort } from '../../values/host.ts';
import { presets, profileFields, settingFields } from './carrier-settings.ts';
import { changes, described, list, optional, optionals, orNone, record } from '../compose.ts';
import { typedText } from '../field.ts';
import type { Field, FieldTable, ValueOf } from '../field.ts';
import { amount, count, currency, fieldOf, flag, instant, name, oneOf, place, text, wholeNumber } from '../fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';

/* Carriers: the connections that messages leave by. Their settings are in `carrier-settings.ts`, a line each. */

const carrierName = name({ summary: 'name of the carrier' });
const costList = orNone(name({ summary: "price list with this carrier's cost per part" }));
const presetWords = Object.keys(presets);
const preset = oneOf(presetWords, { summary: 'profile to begin with: see carrier presets', placeholder: '<name>' });

/** A number with decimals, for answers only. */
function decimal(summary: string): Field<number, 'must'> {
  return fieldOf<number>(
    { summary },
    {
      placeholder: '<number>',
      schema: { type: 'number' },
      example: 0.5,
      read: () => ({ ok: false, error: 'must be left out' }),
      json: (value) => value,
      fromJson: Number,
    },
  );
}

/**
 * The settings of the profile in `carrier add`. Help shows their defaults, but the preset decides what a request leaves
 * out.
 */
function asOfPreset<T extends FieldTable>(
  table: T,
): { readonly [K in keyof T]: Field<ValueOf<T[K]> | undefined, 'may'> } {
  const shown = Object.entries(table).map(([each, field]) => [
    each,
    described(field, { defaultText: typedText(field.json(field.otherwise?.value)) || '""' }),
  ]);
  // The same table with longer descriptions.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return optionals(Object.fromEntries(shown) as T);
}

/** The state of a link. */
export const linkFields = {
  link: count({ summary: 'its number' }),
  state: oneOf(['connecting', 'bound', 'throttled', 'waiting', 'draining', 'stopped'], {
    summary: 'whether it is bound',
  }),
  since: instant({ summary: 'since when' }),
  windowUsed: count({ summary: 'requests in flight' }),
  windowMax: count({ summary: 'requests that may be in flight' }),
  pace: orNone(decimal('messages a second that it sends at most: found, or as set; none for no limit')),
  throughput: count({ summary: 'messages a second, as set; 0 for no limit' }),
  submitted: count({ summary: 'parts given to the socket since the gateway started' }),
  accepted: count({ summary: 'parts that the carrier accepted' }),
  refused: count({ summary: 'parts that the carrier refused' }),
  throttles: count({ summary: 'answers that throttled' }),
  throttledShare: decimal('share of the newest answers that throttled'),
  chanceShare: decimal('share of the newest answers that throttle at any pace'),
  surplus: count({
    summary: 'deliveries refused to come again, because they came faster than they can be written',
    usual: '0',
  }),
  unreadable: count({ summary: 'deliveries whose body could not be read: they are kept' }),
  inDoubt: count({ summary: 'attempts without an answer' }),
  reconnects: count({ summary: 'times that it connected again' }),
  nextTryAt: orNone(instant({ summary: 'when it connects again' })),
  pausedUntil: orNone(instant({ summary: 'when it sends again after a throttling answer' })),
  lastError: orNone(text({ summary: 'the last error' })),
  lastErrorAt: orNone(instant({ summary: 'when the last error was' })),
};

const learnedRule = orNone(
  oneOf(['same', 'hex-answer', 'hex-receipt'], { summary: 'how ids compare, as the receipts showed' }),
);
const { password: _password, receiverPassword: _receiverPassword, tlsKey: _tlsKey, ...openSettings } = settingFields;

const status = oneOf(['active', 'paused', 'drained', 'removed'], { summary: 'whether it sends' });

const fields = {
  name: carrierName,
  status,
  ...openSettings,
  costList,
  costCurrency: orNone(currency({ summary: 'currency of that list' })),
  profile: record(profileFields, { summary: 'how it speaks SMPP' }),
  learnedRule,
  unmatchedReceipts: count({ summary: 'receipts that match nothing' }),
  droppedReceipts: count({ summary: 'receipts given up since' }),
  createdAt: instant({ summary: 'when it was made' }),
  waiting: count({ summary: 'parts that wait for it' }),
  inDoubtParts: count({ summary: 'parts in doubt', title: 'IN DOUBT' }),
  linkStates: list(record(linkFields, { summary: 'a link' }), { summary: 'its links' }),
};

/** A pair of ids. */
export const evidenceFields = {
  rule: text({ summary: 'the rule that the two ids show' }),
  msgId: text({ summary: 'message', title: 'MESSAGE' }),
  part: count({ summary: 'part' }),
  answerId: text({ summary: 'id in the answer', title: 'ID IN THE ANSWER' }),
  receiptId: text({ summary: 'id in the receipt', title: 'ID IN THE RECEIPT' }),
  at: instant({ summary: 'when the receipt came' }),
};

const evidence = list(record(evidenceFields, { summary: 'a pair of ids' }), { summary: 'pairs of ids' });

/** One property of the form of its receipts. */
export const traitFields = {
  trait: text({ summary: 'property of the receipt' }),
  value: text({ summary: 'how it is', title: 'WHAT' }),
  seen: count({ summary: 'receipts that had it' }),
  firstAt: instant({ summary: 'the first of them' }),
  lastAt: instant({ summary: 'the last of them' }),
  example: text({ summary: 'the id of the last of them' }),
};

/** Parts at one cost. */
export const costFields = {
  unitCost: orNone(amount({ summary: 'cost of a part; null where it is unknown' })),
  currency: orNone(currency({ summary: 'its currency' })),
  parts: count({ summary: 'parts at that cost' }),
};

/** A step of a test. */
export const stepFields = {
  step: oneOf(['connect', 'bind_transceiver', 'bind_transmitter', 'bind_receiver', 'enquire_link', 'unbind'], {
    summary: 'step of the test',
  }),
  address: text({ summary: 'where' }),
  /** With tenths, because a step may take less than a millisecond. */
  ms: {
    ...count({ summary: 'how long it took', unit: 'ms', title: 'TOOK', example: 1.6 }),
    schema: { type: 'number', minimum: 0 },
  },
  isDone: flag({ summary: 'whether it was done' }),
  says: text({ summary: 'result, and what to do if it failed', title: 'WHAT HAPPENED' }),
};

const one = { carrier: carrierName };
const statusSays = (carrier: { readonly name: string; readonly status: string }) =>
  `carrier ${carrier.name} is ${carrier.status}`;

export const carrier = resource('carrier', {
  summary: 'Carriers: who we send through',
  operations: {
    add: post('/carriers', {
      summary: 'Make a carrier; its links connect at once',
      role: 'owner',
      input: {
        name: described(carrierName, { summary: 'its name: letters, digits, dots, hyphens and underscores' }),
        ...settingFields,
        costList: optional(costList, null),
        preset: optional(preset, 'standard'),
        ...asOfPreset(profileFields),
      },
      answer: fields,
      command: {
        arguments: ['name'],
        examples: [
          [
            'carrier add alpha --host smsc.example.net --port 2775 --system-id us --password-file ./alpha.password',
            'with the password from a file',
          ],
          [
            'carrier add beta --host 10.0.0.7 --port 2775 --system-id us --password-stdin --window 50 --throughput 100 --links 2 < beta.password',
            'two links of at most 100 messages a second',
          ],
        ],
        notes:
          'Other users of this machine may see what --password says; a file or standard input hides it. SMPP has 8 characters, some carriers take more.',
      },
    }),
    list: page('/carriers', {
      summary: 'List all carriers',
      input: {},
      after: carrierName,
      answer: fields,
      columns: [
        'name',
        'status',
        { title: 'ADDRESS', of: ({ host, port }) => hostAndPort(host, port) },
        {
          title: 'BOUND',
          of: ({ links, linkStates }) =>
            `${linkStates.filter(({ state }) => state === 'bound' || state === 'throttled').length}/${links}`,
          isNumber: true,
        },
        'window',
        {
          title: 'A SECOND',
          of: ({ throughput }) => (throughput === 0 ? 'no limit' : String(throughput)),
          isNumber: true,
        },
        'waiting',
        'inDoubtParts',
      ],
      command: {
        examples: [['carrier list', 'every carrier, its links, and what waits for it']],
        whenEmpty: 'there are no carriers yet: make one with carrier add',
      },
    }),
    show: get('/carriers/{carrier}', {
      summary: 'Show one carrier and its links',
      input: one,
      answer: fields,
      command: { examples: [['carrier show alpha', 'whether its links are bound, and if not, why']] },
    }),
    set: patch('/carriers/{carrier}', {
      summary: 'Change a carrier; its links follow at once, and bind again where they must, without losing a message',
      role: 'owner',
      input: {
        ...one,
        ...changes(settingFields),
        costList: optional(costList),
        preset: optional(described(preset, { summary: 'replace the whole profile by this one: see carrier presets' })),
        ...changes(profileFields),
      },
      answer: fields,
      command: {
        examples: [
          ['carrier set alpha --throughput 50 --id-rule hex-answer', 'two settings; the others stay'],
          ['carrier set alpha --preset latin1 --number-form plus', 'its whole profile is replaced'],
        ],
      },
    }),
    test: post('/carriers/{carrier}/test', {
      summary: 'Connect, bind, enquire and unbind with the settings of a carrier, and say what happened',
      input: one,
      answer: {
        ...one,
        isDone: flag({ summary: 'whether every step was done' }),
        steps: list(record(stepFields, { summary: 'a step' }), { summary: 'its steps' }),
      },
      command: {
        examples: [
          ['carrier test alpha', 'whether its settings are right, step by step, and what to do if not'],
          ['carrier test alpha --json', 'the same for a script: exit status 1 if a step fails'],
        ],
        notes:
          'The test binds once more than --links says, or twice with --bind separate, and the links go on. What the carrier sends meanwhile is kept as on any link.',
      },
    }),
    cost: get('/carriers/{carrier}/cost', {
      summary: 'Sum the cost of the parts that a carrier accepted: what its invoice should say',
      input: {
        ...one,
        from: instant({ summary: 'accepted then or later: 2026-01-01T12:00:00Z, or a day in UTC such as 2026-01-01' }),
        to: optional(instant({ summary: 'accepted before then; days are those of UTC', defaultText: 'now' })),
        after: optional(place(/^\d{1,16}$/, { typed: [] })),
      },
      answer: {
        ...one,
        from: instant({ summary: 'accepted then or later' }),
        to: instant({ summary: 'accepted before then' }),
        costs: list(record(costFields, { summary: 'parts at one cost' }), { summary: 'parts by their cost' }),
        next: orNone(text({ summary: 'give this as `after` for the next page; null at the end' })),
      },
      command: {
        examples: [['carrier cost alpha --from 2026-01-01 --to 2026-02-01', 'a month, by the cost of a part']],
      },
    }),
    learned: get('/carriers/{carrier}/learned', {
      summary: 'Show what was learned from the receipts of a carrier, and the receipts that it was learned from',
      input: one,
      answer: {
        ...one,
        idRule: settingFields.idRule,
        learnedRule,
        learnedAt: orNone(instant({ summary: 'when it was learned' })),
        evidence,
        run: evidence,
        dialect: list(record(traitFields, { summary: 'a trait' }), { summary: 'the form of its receipts' }),
        textReceipts: profileFields.textReceipts,
        markedAt: orNone(instant({ summary: 'since when it marks its receipts' })),
        unmatched: record(
          {
            unknown: count({ summary: 'receipts of unknown messages' }),
            undecided: count({ summary: 'undecided' }),
            unreadable: count({ summary: 'unreadable' }),
            dropped: count({ summary: 'given up' }),
            droppedAt: orNone(instant({ summary: 'when one was given up last' })),
          },
          { summary: 'receipts that match nothing' },
        ),
      },
      command: { examples: [['carrier learned alpha', 'how its ids compare, and how it writes its receipts']] },
    }),
    pause: post('/carriers/{carrier}/pause', {
      summary: 'Send nothing more through a carrier; its links stay bound, for receipts',
      input: one,
      answer: fields,
      command: { examples: [['carrier pause alpha', 'its messages wait']], says: statusSays },
    }),
    resume: post('/carriers/{carrier}/resume', {
      summary: 'Send through a carrier again; a drained one binds',
      input: one,
      answer: fields,
      command: { examples: [['carrier resume alpha', 'waiting messages go out']], says: statusSays },
    }),
    drain: post('/carriers/{carrier}/drain', {
      summary: 'Send nothing more, wait for the answers, and unbind until the carrier is resumed',
      input: one,
      answer: fields,
      command: { examples: [['carrier drain alpha', 'before work at the carrier; it stays down over restarts, too']] },
    }),
    rebind: post('/carriers/{carrier}/rebind', {
      summary: 'Drain the links and bind them again, one after the other',
      input: {
        ...one,
        link: optional(
          wholeNumber({ min: 1, max: 1_000, summary: 'only this one', placeholder: '<number>', defaultText: 'all' }),
        ),
      },
      answer: fields,
      command: {
        examples: [
          ['carrier rebind alpha', 'all its links, none at the same time as another'],
          ['carrier rebind alpha --link 2', 'one of them; one that waits connects now'],
        ],
      },
    }),
    remove: remove('/carriers/{carrier}', {
      summary: 'Remove a carrier that has no route and no message any more',
      input: one,
      answer: one,
      command: {
        examples: [['carrier remove alpha', 'its links end']],
        says: (removed) => `carrier ${removed.carrier} is removed`,
      },
    }),
  },
});

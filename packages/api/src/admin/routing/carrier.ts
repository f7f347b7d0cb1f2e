import { hostAndPort } from '../../values/host.ts';
import { sharedFields, testSteps } from './carrier-kinds.ts';
import { presets } from './kinds/smpp.ts';
import { connectionFields, profileFields } from './kinds/smpp-fields.ts';
import { changes, described, group, list, optional, optionals, orNone, record } from '../../fields/compose.ts';
import { type Column, type Field, type FieldTable, type ValueOf, type Values } from '../../fields/field.ts';
import { count, currency, fieldOf, flag, instant, name, oneOf, text, wholeNumber } from '../../fields/fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';
import { defaultText, printable } from '../../fields/shown.ts';
import { carrierCost } from './carrier-cost.ts';

/* Carriers, through which the gateway sends messages. Their settings are in `carrier-kinds.ts` and `kinds/`. */

const settingFields = { ...connectionFields, ...sharedFields };
const carrierName = name({ summary: 'name of the carrier' });
const costList = orNone(
  name({
    summary: 'price list with the costs that the carrier charges per part',
    special: { none: 'no cost list' },
  }),
);
const presetWords = Object.keys(presets);
const preset = oneOf(presetWords, {
  summary: 'named profile to start from (see carrier presets)',
  placeholder: '<name>',
});

function decimal(summary: string): Field<number, 'must'> {
  return fieldOf<number>(
    { summary },
    {
      placeholder: '<number>',
      schema: { type: 'number' },
      example: 0.5,
      read: () => ({ ok: false, error: 'must be left out, because only answers have this field' }),
      json: (value) => value,
      fromJson: Number,
    },
  );
}

/**
 * Settings that get their value from the preset if a request leaves them out. Help shows the defaults of `standard`.
 */
function asOfPreset<T extends FieldTable>(
  table: T,
): { readonly [K in keyof T]: Field<ValueOf<T[K]> | undefined, 'may'> } {
  const shown = Object.entries(table).map(([each, field]) => [
    each,
    described(field, { defaultText: defaultText(field) ?? '' }),
  ]);
  // Only the descriptions of the fields differ from `table`.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return optionals(Object.fromEntries(shown) as T);
}

export const linkFields = {
  link: count({ summary: 'number of the link' }),
  state: oneOf(['connecting', 'bound', 'throttled', 'waiting', 'draining', 'stopped'], {
    summary: 'state of the link',
  }),
  node: orNone(
    text({
      summary:
        'node that has the link, and shows its figures; null if there is only one gateway, or no node has the link',
      usual: '',
    }),
  ),
  since: instant({ summary: 'since when the link has been in this state' }),
  downSince: orNone(
    instant({ summary: 'since when the link is not bound, however often it has tried; null while it is bound' }),
  ),
  windowUsed: count({ label: 'In the window', summary: 'unanswered requests on the link' }),
  windowMax: count({ label: 'Window', summary: 'most unanswered requests on the link' }),
  pace: orNone(
    decimal(
      'present limit of messages a second, which the gateway lowers when the carrier throttles; null for no limit',
    ),
  ),
  throughput: decimal('configured limit of messages a second; 0 for no limit'),
  submitted: count({ summary: 'number of parts sent since the gateway started' }),
  accepted: count({ summary: 'number of parts that the carrier accepted' }),
  refused: count({ summary: 'number of parts that the carrier refused' }),
  throttles: count({ summary: 'number of throttling answers from the carrier' }),
  throttledShare: decimal('share of throttling answers among the newest answers'),
  chanceShare: decimal('share of answers that throttle whatever the pace is'),
  surplus: count({
    summary: 'deliver_sm requests that the gateway refused temporarily, because it could not store them fast enough',
    usual: '0',
  }),
  unreadable: count({ summary: 'deliver_sm requests with an unreadable body, which the gateway stored' }),
  inDoubt: count({ summary: 'number of attempts without an answer' }),
  reconnects: count({ summary: 'number of times that the link connected again' }),
  nextTryAt: orNone(instant({ summary: 'when the link next tries to connect' })),
  pausedUntil: orNone(instant({ summary: 'when the link sends again after a throttling answer' })),
  lastError: orNone(text({ summary: 'last error of the link' })),
  lastErrorAt: orNone(instant({ summary: 'time of the last error', label: 'Error at' })),
};

const learnedRule = orNone(
  oneOf(['same', 'hex-answer', 'hex-receipt'], {
    summary: 'rule for comparing message ids that receipts showed',
  }),
);
const { password: _password, receiverPassword: _receiverPassword, tlsKey: _tlsKey, ...openSettings } = settingFields;

const status = oneOf(['active', 'paused', 'drained', 'removed'], { summary: 'status of the carrier' });

const fields = {
  name: carrierName,
  status,
  ...openSettings,
  costList,
  costCurrency: orNone(currency({ summary: 'currency of the cost list' })),
  profile: record(profileFields, { summary: 'SMPP profile of the carrier', whenEmpty: 'standard' }),
  learnedRule,
  unmatchedReceipts: count({ summary: 'number of unmatched receipts of the carrier' }),
  droppedReceipts: count({ summary: 'number of unmatched receipts that the gateway gave up' }),
  createdAt: instant({ summary: 'when the carrier was created' }),
  waiting: count({ summary: 'number of parts that wait for the carrier' }),
  inDoubtParts: count({ summary: 'number of parts in doubt at the carrier', label: 'In doubt' }),
  linkStates: list(record(linkFields, { summary: 'a link' }), {
    summary: 'links to the carrier',
    whenEmpty: 'no link runs',
  }),
};

const columns: readonly Column<typeof fields>[] = [
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
];

export const statusColumns: typeof columns = [
  ...columns,
  { title: 'LAST ERROR', of: ({ linkStates }) => linkStates.find(hasError)?.lastError ?? '' },
];

function hasError({ state, lastError }: Values<typeof linkFields>): boolean {
  return state !== 'bound' && lastError !== null;
}

/** The two ids of one part: one from the carrier's answer, one from its receipt. */
export const evidenceFields = {
  rule: text({ summary: 'comparison rule that fits the two ids' }),
  msgId: text({ summary: 'msgId of the message', label: 'Message' }),
  part: count({ summary: 'number of the part' }),
  answerId: text({ summary: 'message id in the carrier’s answer', label: 'Id in the answer' }),
  receiptId: text({ summary: 'message id in the receipt', label: 'Id in the receipt' }),
  at: instant({ summary: 'when the gateway got the receipt' }),
};

const evidence = list(record(evidenceFields, { summary: 'a pair of ids' }), {
  summary: 'message ids from answers and their receipts',
});

const trait = text({ summary: 'property of the carrier’s receipts', label: 'Receipt' });
const traits: { readonly [trait: string]: string } = {
  idIn: 'place of the id',
  stateIn: 'place of the state',
  markedBy: 'mark as a receipt',
  unread: 'stored as an inbound message',
  dates: 'digits of dates',
  error: 'form of errors',
  command: 'PDU of the receipt',
  addresses: 'source and destination',
};

export const traitFields = {
  trait: { ...trait, cell: (word: string) => traits[word] ?? word },
  value: text({ summary: 'value of the property', label: 'What' }),
  seen: count({ summary: 'number of receipts with this property' }),
  firstAt: instant({ summary: 'time of the first receipt with this property' }),
  lastAt: instant({ summary: 'time of the last receipt with this property' }),
  example: text({ summary: 'message id in the last receipt with this property' }),
};

export const stepFields = {
  step: oneOf(testSteps, { summary: 'name of the step' }),
  address: text({ summary: 'address that the step connected to' }),
  /** The duration with one decimal, because a step may take less than a millisecond. */
  ms: {
    ...count({ summary: 'duration of the step', unit: 'ms', label: 'Took', example: 1.6 }),
    schema: { type: 'number', minimum: 0 },
    cell: (ms: number) => `${ms} ms`,
  },
  isDone: flag({ summary: 'whether the step succeeded', label: 'OK' }),
  says: text({ summary: 'result of the step, with advice if it failed', label: 'What happened' }),
};

const newName = described(carrierName, {
  summary: 'name of the new carrier: letters, digits, dots, hyphens and underscores',
});
const one = { carrier: carrierName };
const statusSays = (carrier: { readonly name: string; readonly status: string }) =>
  `carrier ${carrier.name} is ${carrier.status}`;

export const carrier = resource('carrier', {
  changes: ['message', 'traffic', 'gateway', 'route'],
  summary: 'Carriers, through which messages are sent',
  operations: {
    add: post('/carriers', {
      repeat: 'same',
      summary: 'Add a carrier; its links connect at once',
      role: 'owner',
      input: {
        ...group('Address and sign-in', { name: newName }),
        ...settingFields,
        ...group('Money', { costList: optional(costList, null) }),
        ...group('Address and sign-in', { preset: optional(preset, 'standard') }),
        ...asOfPreset(profileFields),
      },
      answer: fields,
      command: {
        arguments: ['name'],
        examples: {
          'carrier add alpha --host smsc.example.net --port 2775 --system-id us --password-file ./alpha.password':
            'add a carrier with the password in a file',
          'carrier add beta --host 10.0.0.7 --port 2775 --system-id us --password-stdin --window 50 --throughput 100 --links 2 < beta.password':
            'add a carrier with two links of at most 100 messages a second each',
        },
        notes:
          'Other users of this machine may see the value of --password. A file or standard input hides it. SMPP allows passwords of 8 characters; some carriers accept longer passwords.',
      },
    }),
    list: page('/carriers', {
      summary: 'List all carriers',
      input: {},
      after: carrierName,
      answer: fields,
      columns,
      command: {
        examples: { 'carrier list': 'show every carrier, its bound links, and its waiting parts' },
        whenEmpty: 'there are no carriers yet; add a carrier with carrier add',
      },
    }),
    show: get('/carriers/{carrier}', {
      summary: 'Show one carrier and its links',
      input: one,
      answer: fields,
      command: { examples: { 'carrier show alpha': 'show whether the links are bound, and their last errors' } },
    }),
    set: patch('/carriers/{carrier}', {
      summary: 'Change a carrier; its links bind again if needed, and no message is lost',
      role: 'owner',
      input: {
        ...one,
        ...changes(settingFields),
        ...group('Money', { costList: optional(costList) }),
        ...group('Address and sign-in', {
          preset: optional(
            described(preset, { summary: 'replace the whole profile by this named profile (see carrier presets)' }),
          ),
        }),
        ...changes(profileFields),
      },
      answer: fields,
      command: {
        examples: {
          'carrier set alpha --throughput 50 --id-rule hex-answer': 'change two settings; other settings stay',
          'carrier set alpha --preset latin1 --number-form plus':
            'replace the whole profile, and then change one setting',
        },
      },
    }),
    test: post('/carriers/{carrier}/test', {
      repeat: 'same',
      summary: 'Test the settings of a carrier: connect, bind, enquire and unbind, and show each result',
      input: one,
      answer: {
        ...one,
        isDone: flag({ label: 'Succeeded', summary: 'whether every step succeeded' }),
        steps: list(record(stepFields, { summary: 'a step' }), { summary: 'steps of the test' }),
      },
      command: {
        examples: {
          'carrier test alpha': 'test the settings of alpha step by step',
          'carrier test alpha --json': 'print JSON for a script; exit status 1 means that a step failed',
        },
        fails: ({ carrier: tested, steps }) => {
          const failed = steps.find(({ isDone }) => !isDone);
          return failed && `carrier ${tested}, ${failed.step}: ${printable(failed.says)}`;
        },
        notes:
          'The test opens one session besides the links (two with --bind separate). The links keep working. The gateway stores receipts and inbound messages that come on a test session.',
      },
    }),
    cost: carrierCost,
    learned: get('/carriers/{carrier}/learned', {
      summary: 'Show what the gateway learned from the receipts of a carrier',
      label: 'What was learned',
      input: one,
      answer: {
        ...one,
        idRule: settingFields.idRule,
        learnedRule,
        learnedAt: orNone(instant({ summary: 'when receipts showed the rule' })),
        evidence: described(evidence, { whenEmpty: 'no receipts have shown an id rule' }),
        run: described(evidence, { summary: 'always empty' }),
        dialect: list(record(traitFields, { summary: 'a property' }), {
          summary: 'properties of the carrier’s receipts',
          whenEmpty: 'no receipt has been examined yet',
        }),
        textReceipts: profileFields.textReceipts,
        markedAt: orNone(instant({ summary: 'since when the carrier marks its receipts' })),
        unmatched: record(
          {
            unknown: count({ summary: 'number of receipts of unknown messages' }),
            unreadable: count({ summary: 'number of receipts that cannot be read' }),
            dropped: count({ summary: 'number of unmatched receipts that the gateway gave up' }),
            droppedAt: orNone(instant({ summary: 'when the gateway last gave up an unmatched receipt' })),
          },
          { summary: 'unmatched receipts of the carrier' },
        ),
      },
      command: {
        examples: { 'carrier learned alpha': 'show the rule for comparing ids, and the form of the receipts' },
      },
    }),
    pause: post('/carriers/{carrier}/pause', {
      repeat: 'same',
      summary: 'Stop sending through a carrier; its links stay bound for receipts',
      when: (row) => row['status'] === 'active',
      input: one,
      answer: fields,
      command: { examples: { 'carrier pause alpha': 'let the messages for alpha wait' }, says: statusSays },
    }),
    resume: post('/carriers/{carrier}/resume', {
      repeat: 'same',
      summary: 'Send through a paused or drained carrier again',
      when: (row) => row['status'] !== 'active',
      input: one,
      answer: fields,
      command: { examples: { 'carrier resume alpha': 'send the messages that wait for alpha' }, says: statusSays },
    }),
    drain: post('/carriers/{carrier}/drain', {
      repeat: 'same',
      summary: 'Stop sending through a carrier, wait for its answers, and unbind until it is resumed',
      input: one,
      answer: fields,
      command: {
        examples: {
          'carrier drain alpha': 'unbind before maintenance at the carrier, also across restarts of the gateway',
        },
      },
    }),
    rebind: post('/carriers/{carrier}/rebind', {
      repeat: 'key',
      summary: 'Drain and bind the links of a carrier again, one after the other',
      input: {
        ...one,
        link: optional(
          wholeNumber({
            min: 1,
            max: 1_000,
            summary: 'number of the link to bind again',
            placeholder: '<number>',
            defaultText: 'all',
          }),
        ),
      },
      answer: fields,
      command: {
        examples: {
          'carrier rebind alpha': 'bind all links of alpha again, one after the other',
          'carrier rebind alpha --link 2': 'bind link 2 again; a link that waits to reconnect connects now',
        },
      },
    }),
    remove: remove('/carriers/{carrier}', {
      summary: 'Remove a carrier that no route and no message uses',
      warning: 'The carrier is removed for good. It must have no routes and no waiting parts.',
      input: one,
      answer: one,
      command: {
        examples: { 'carrier remove alpha': 'close the links of alpha and remove the carrier' },
        says: (removed) => `carrier ${removed.carrier} is removed`,
      },
    }),
  },
});

import { list, optional, orNone, record } from '../compose.ts';
import type { About, Field, Values } from '../field.ts';
import { amount, count, fieldOf, flag, instant, name, oneOf, text } from '../fields.ts';
import { get, post, resource } from '../resource.ts';
import { carrier } from '../routing/carrier.ts';

/* The running gateway: its status, its clock, its start after a hold, and sums over its store. */

const port = orNone(count({ summary: 'a port; null while it is off' }));

const storeFields = {
  journalMode: text({ summary: 'journal_mode of SQLite' }),
  synchronous: text({ summary: 'synchronous of SQLite; answers rely on FULL' }),
  groups: count({ summary: 'commits since the start' }),
  commands: count({ summary: 'commands written since the start' }),
  waiting: count({ summary: 'commands that wait to be written' }),
};

const smppFields = {
  port,
  tlsPort: port,
  sessions: count({ summary: 'bound client sessions' }),
  unbound: count({ summary: 'connections without a bind' }),
};

const fields = {
  version: text({ summary: 'version of the gateway' }),
  node: text({ summary: 'version of Node.js' }),
  pid: count({ summary: 'id of its process' }),
  startedAt: instant({ summary: 'when it started' }),
  uptimeSeconds: count({ summary: 'how long ago that was', unit: 's' }),
  ready: flag({ summary: 'whether it accepts messages' }),
  troubles: list(
    record(
      {
        kind: oneOf(['disk-full', 'clock-behind', 'clock-ahead'], { summary: 'what is wrong' }),
        since: instant({ summary: 'since when' }),
        detail: text({ summary: 'what is wrong, in words' }),
      },
      { summary: 'a trouble' },
    ),
    { summary: 'what keeps it from its work' },
  ),
  held: flag({ summary: 'whether it was started with --hold and waits for resume' }),
  store: record(storeFields, { summary: 'how it keeps what it accepts' }),
  smpp: record(smppFields, { summary: 'its SMPP server' }),
  alertsOfDay: count({ summary: 'alerts of the last 24 hours' }),
  memory: record(
    {
      residentBytes: count({ summary: 'memory of the process', unit: 'bytes' }),
      heapBytes: count({ summary: 'heap in use', unit: 'bytes' }),
    },
    { summary: 'its memory' },
  ),
  carriers: list(record(carrier.operations.show.answer, { summary: 'a carrier' }), { summary: 'its carriers' }),
};

type Status = Values<typeof fields>;

const mebibyte = 2 ** 20;

const columns = [
  {
    title: 'VERSION',
    of: ({ version, node, pid }: Status) => `${version} on node ${node}, process ${pid}`,
  },
  { title: 'RUNS SINCE', of: ({ startedAt }: Status) => fields.startedAt.cell(startedAt) },
  { title: 'TAKES MESSAGES', of: ({ ready }: Status) => (ready ? 'yes' : 'no') },
  {
    title: 'HELD',
    of: ({ held }: Status) => (held ? 'it binds, sends, notifies and expires nothing until morsel resume' : ''),
  },
  {
    title: 'TROUBLE',
    of: ({ troubles }: Status) =>
      troubles.map(({ detail, since }) => `${detail}, since ${fields.startedAt.cell(since)}`).join('; '),
  },
  {
    title: 'STORE',
    of: ({ store }: Status) => `journal_mode ${store.journalMode}, synchronous ${store.synchronous}`,
  },
  {
    title: 'COMMITS',
    of: ({ store }: Status) => `${store.groups}, of ${store.commands} commands; ${store.waiting} waiting`,
  },
  { title: 'SMPP', of: ({ smpp }: Status) => smppText(smpp) },
  { title: 'ALERTS', of: ({ alertsOfDay }: Status) => `${alertsOfDay} in the last 24 hours: see morsel alert list` },
  { title: 'MEMORY', of: ({ memory }: Status) => `${Math.round(memory.residentBytes / mebibyte)} MiB` },
];

function smppText({ port: plain, tlsPort, sessions, unbound }: Status['smpp']): string {
  const ports = [
    ...(plain === null ? [] : [`port ${plain}`]),
    ...(tlsPort === null ? [] : [`port ${tlsPort} with TLS`]),
  ];
  const clients = `sessions ${sessions}, connections not bound ${unbound}`;
  return ports.length === 0 ? 'off' : `${ports.join(', ')}: ${clients}`;
}

/** How many there are of each word. */
function counts(about: About): Field<{ readonly [word: string]: number }, 'must'> {
  return fieldOf<{ readonly [word: string]: number }>(about, {
    placeholder: '<json>',
    schema: { type: 'object', additionalProperties: { type: 'integer' } },
    read: () => ({ ok: false, error: 'must be left out' }),
    json: (value) => value,
    fromJson: (json) =>
      Object.fromEntries(Object.entries(Object(json)).map(([word, digits]) => [word, Number(digits)])),
  });
}

export const gateway = resource('gateway', {
  summary: 'The running gateway',
  operations: {
    status: get('/status', {
      summary: 'Show how the running gateway is',
      input: {},
      answer: fields,
      columns,
      command: {
        words: 'status',
        examples: [['status', 'since when it runs, and how it keeps what it accepts']],
      },
    }),
    confirmClock: post('/clock/confirm', {
      summary:
        "Confirm that the machine's clock is right, after a start that did not trust it: held messages expire or are sent",
      input: {
        behind: optional(
          flag({ summary: 'confirm a clock that is behind without asking', flag: { name: 'yes', value: 'true' } }),
          false,
        ),
      },
      answer: fields,
      command: {
        words: 'clock confirm',
        examples: [['clock confirm', 'after the gateway was off for days; compare the clock with another one first']],
      },
    }),
    resume: post('/resume', {
      summary: 'Begin the work of a gateway that was started with serve --hold',
      input: {},
      answer: fields,
      command: {
        words: 'resume',
        examples: [['resume', 'its links bind, and what waits is sent']],
        says: ({ troubles }) =>
          [
            'the gateway is resumed: its links bind, and what waits is sent',
            ...troubles.map(({ detail }) => `trouble: ${detail}`),
          ].join('\n'),
      },
    }),
    totals: get('/totals', {
      summary: 'Sums over the whole store, for checks from outside; they read every row',
      input: {},
      answer: {
        messages: counts({ summary: 'messages by event' }),
        parts: counts({ summary: 'parts by state' }),
        charged: amount({ summary: 'charges of all messages' }),
        refunded: amount({ summary: 'all refunds' }),
        waiting: count({ summary: 'parts in the queues' }),
        inDoubt: count({ summary: 'parts in doubt' }),
        unmatchedReceipts: count({ summary: 'unmatched receipts' }),
        notes: counts({ summary: 'notes of messages by kind' }),
        unbalanced: list(name({ summary: 'an account' }), {
          summary: 'accounts whose balance is not the sum of their entries',
        }),
      },
    }),
  },
});

import { receiverState } from '../alarm/receiver.ts';
import { list, optional, orNone, pick, record, rows } from '../../fields/compose.ts';
import type { About, Field } from '../../fields/field.ts';
import { anyLength, durationIn } from '../../fields/duration.ts';
import { amount, count, fieldOf, flag, instant, name, oneOf, text } from '../../fields/fields.ts';
import { get, post, resource } from '../resource.ts';
import { carrier, statusColumns } from '../routing/carrier.ts';
import { nodeRow } from './node.ts';
import { nowFields } from './traffic.ts';

/* The running gateway: its status, the confirmation of its clock, its resumption, and totals of its store. */

const port = orNone(count({ summary: 'port number; null if the listener is off' }));

const storeFields = {
  engine: oneOf(['SQLite', 'PostgreSQL'], { summary: 'database of the gateway' }),
  commitSettings: text({ summary: 'settings of the database that decide how safe a commit is' }),
  groups: count({ summary: 'number of commits since the start' }),
  commands: count({ summary: 'number of stored commands since the start' }),
  waiting: count({ summary: 'number of commands that wait for the next commit' }),
};

const octets = (label: string, summary: string) => orNone(count({ label, summary, unit: 'bytes' }));

const diskFields = {
  freeBytes: octets('Free space', 'free space; null if the system does not tell'),
  databaseBytes: octets('Database', 'size of the database file; null if the data is in PostgreSQL'),
  walBytes: octets('Write-ahead log', 'size of the write-ahead log; null if the data is in PostgreSQL'),
};

const smppFields = {
  port,
  tlsPort: port,
  sessions: count({ summary: 'number of bound client sessions' }),
  unbound: count({ summary: 'number of connections that are not bound yet' }),
};

const fields = {
  version: text({ summary: 'version of the gateway' }),
  node: text({ summary: 'version of Node.js' }),
  pid: count({ label: 'Process', summary: 'process id of the gateway' }),
  startedAt: instant({ summary: 'when the gateway started' }),
  uptimeSeconds: durationIn('s', { ...anyLength, summary: 'time since the start', label: 'Up for' }),
  ready: flag({ summary: 'whether the gateway accepts messages' }),
  troubles: rows(
    {
      kind: oneOf(['disk-full', 'database-away', 'clock-behind', 'clock-ahead'], { summary: 'kind of the problem' }),
      since: instant({ summary: 'when the problem began' }),
      detail: text({ summary: 'description of the problem' }),
    },
    { summary: 'problems that keep the gateway from working normally' },
  ),
  held: {
    ...flag({ summary: 'whether the gateway was started with --hold and waits for resume' }),
    cell: (isHeld: boolean) =>
      isHeld ? 'yes: the gateway sends, notifies and expires nothing until morsel resume' : '',
  },
  store: record(storeFields, { summary: 'state of the store' }),
  ...pick(nowFields, 'queued', 'oldestQueuedAt'),
  disk: record(diskFields, { summary: 'disk of the data directory' }),
  smpp: record(smppFields, { summary: 'state of the SMPP server' }),
  openAlarms: count({ summary: 'number of open alarms' }),
  alarmReceivers: rows(receiverState, {
    summary: 'receivers of alarms, and whether they work',
    whenEmpty: 'no receiver is notified of alarms: see morsel alarm receiver add --help',
  }),
  memory: record(
    {
      residentBytes: count({ label: 'Resident memory', summary: 'resident memory of the process', unit: 'bytes' }),
      heapBytes: count({ label: 'Heap', summary: 'JavaScript heap in use', unit: 'bytes' }),
    },
    { summary: 'memory of the gateway' },
  ),
  carriers: rows(carrier.operations.show.answer, {
    columns: statusColumns,
    summary: 'carriers of the gateway',
    whenEmpty: 'there are no carriers yet; add a carrier with carrier add',
  }),
  nodes: list(nodeRow, {
    summary: 'nodes of the database; none if the data is in SQLite',
    whenEmpty: 'only this one, because the data is in SQLite',
  }),
};

function counts(about: About): Field<{ readonly [word: string]: number }, 'must'> {
  return fieldOf<{ readonly [word: string]: number }>(about, {
    placeholder: '<json>',
    schema: { type: 'object', additionalProperties: { type: 'integer' } },
    read: () => ({ ok: false, error: 'must be left out, because only answers have this field' }),
    json: (value) => value,
    fromJson: (json) =>
      Object.fromEntries(Object.entries(Object(json)).map(([word, digits]) => [word, Number(digits)])),
  });
}

export const gateway = resource('gateway', {
  changes: ['node', 'carrier', 'message'],
  summary: 'The running gateway',
  operations: {
    status: get('/status', {
      summary: 'Show the status of the running gateway',
      input: {},
      answer: fields,
      command: {
        words: 'status',
        examples: { status: 'show problems, carriers with their state, what waits, disk, nodes and ports' },
      },
    }),
    confirmClock: post('/clock/confirm', {
      repeat: 'same',
      summary: 'Confirm that the clock of the machine is right; held messages are then sent or expire',
      input: {
        behind: optional(
          flag({ summary: 'confirm a clock that is behind, without a question', flag: { name: 'yes', value: 'true' } }),
          false,
        ),
      },
      answer: fields,
      command: {
        words: 'clock confirm',
        examples: {
          'clock confirm': 'confirm the clock after days of downtime, once you have compared it with another clock',
        },
        says: () => 'the clock is trusted: messages that were held are now sent, or expire',
      },
    }),
    resume: post('/resume', {
      repeat: 'same',
      summary: 'Resume a gateway that was started with serve --hold',
      input: {},
      answer: fields,
      command: {
        words: 'resume',
        examples: { resume: 'bind the links, and send the waiting messages' },
        says: ({ troubles }) =>
          [
            'the gateway is resumed: its links bind, and waiting messages are sent',
            ...troubles.map(({ detail }) => `problem: ${detail}`),
          ].join('\n'),
      },
    }),
    totals: get('/totals', {
      summary: 'Show totals of the whole store, for checks by other programs',
      role: 'finance',
      input: {},
      answer: {
        messages: counts({ summary: 'number of messages by event' }),
        parts: counts({ summary: 'number of parts by state' }),
        charged: amount({ summary: 'sum of all charges' }),
        refunded: amount({ summary: 'sum of all refunds' }),
        waiting: count({ summary: 'number of parts in the queues' }),
        inDoubt: count({ summary: 'number of parts in doubt' }),
        unmatchedReceipts: count({ summary: 'number of unmatched receipts' }),
        notes: counts({ summary: 'number of entries in the histories of messages, by kind' }),
        unbalanced: list(name({ summary: 'an account' }), {
          summary: 'accounts whose balance is not the sum of their entries',
        }),
      },
    }),
  },
});

import { alarmKindNames, severities } from './kinds.ts';
import { optional, orNone, pick, rows } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { durationIn, durationText } from '../../fields/duration.ts';
import { count, flag, instant, oneOf, place, rowId, text, wholeNumber } from '../../fields/fields.ts';
import { formatInstant, secondMs } from '../../values/time.ts';
import { get, page, patch, post, resource } from '../resource.ts';

/* Alarms: faults that operators must know. An alarm closes by itself when its fault is gone. */

const fields = {
  alarm: rowId({ summary: 'id of the alarm' }),
  kind: oneOf(alarmKindNames, { summary: 'kind of the alarm: alarm kinds explains each', placeholder: '<kind>' }),
  severity: oneOf(severities, { summary: 'how urgent it is' }),
  state: oneOf(['open', 'acknowledged', 'closed'], {
    summary: 'whether an operator has seen it, and whether it is over',
  }),
  subject: text({ summary: 'what it is about', example: 'alpha' }),
  title: text({ summary: 'what is wrong', example: 'Carrier alpha is down' }),
  openedAt: instant({ summary: 'when it opened' }),
  evidence: text({ summary: 'figures when it opened', example: 'no link of alpha is bound' }),
  help: text({ summary: 'command that helps', example: 'morsel carrier test alpha' }),
  acknowledgedAt: orNone(instant({ summary: 'when an operator acknowledged it; null if none did' })),
  acknowledgedBy: orNone(text({ summary: 'operator who acknowledged it' })),
  closedAt: orNone(instant({ summary: 'when it closed; null while it is open' })),
};

/** One notification of an alarm to one receiver. */
export const noticeFields = {
  receiver: text({ summary: 'name of the receiver', example: 'night' }),
  turn: oneOf(['opened', 'closed'], { summary: 'what it is notified of' }),
  toldAt: orNone(instant({ summary: 'when it took the alarm; null if it did not' })),
  due: orNone(instant({ summary: 'when it is tried again; null if it is over' })),
  tries: count({ summary: 'number of tries' }),
  outcome: orNone(text({ summary: 'what the receiver said last', example: 'HTTP 200' })),
};

const threshold = wholeNumber({
  min: 1,
  max: 1_048_576,
  summary: 'figure at which the alarm opens; alarm kinds shows its unit and range',
  placeholder: '<count>',
});
const forSeconds = durationIn('s', {
  min: 0,
  max: 86_400,
  label: 'Lasting',
  summary: 'how long that must last before the alarm opens',
});
const watched = oneOf(['yes', 'no'], { words: { yes: 'Yes', no: 'No' }, summary: 'whether alarms of this kind open' });

const kindFields = {
  ...pick(fields, 'kind', 'severity'),
  watched,
  threshold: orNone(threshold),
  unit: orNone(text({ summary: 'unit of the threshold', example: 's' })),
  forSeconds,
  summary: text({ summary: 'what the alarm says' }),
};

const settingSays = ({
  kind,
  watched: isWatched,
  threshold: at,
  unit,
  forSeconds: lasts,
}: Values<typeof kindFields>) => {
  if (isWatched === 'no') return `alarms of the kind ${kind} do not open`;
  return `${kind} opens ${at === null ? '' : `at ${at} ${unit ?? ''}, `}after ${durationText(lasts * secondMs)}`;
};

export const alarm = resource('alarm', {
  changes: ['alarmReceiver', 'gateway'],
  summary: 'Alarms: what is wrong now and needs an operator',
  operations: {
    list: page('/alarms', {
      summary:
        'List the open alarms, critical ones first, then the oldest, each with its evidence and the command that helps',
      input: {
        all: optional(
          flag({ label: 'Closed alarms, too', summary: 'also list closed alarms, the newest first' }),
          false,
        ),
      },
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: fields,
      columns: ['alarm', 'openedAt', 'severity', 'state', 'kind', 'subject', 'evidence', 'help'],
      command: {
        examples: { 'alarm list': 'show what is wrong now', 'alarm list --all': 'show closed alarms, too' },
        whenEmpty: 'there are no open alarms',
      },
    }),
    show: get('/alarms/{alarm}', {
      summary: 'Show one alarm, and the receivers that were notified of it',
      input: pick(fields, 'alarm'),
      answer: {
        ...fields,
        notices: rows(noticeFields, {
          summary: 'receivers that were notified of it',
          whenEmpty: 'nobody was notified of it',
        }),
      },
      command: { examples: { 'alarm show 7': 'show the evidence of alarm 7, and who acknowledged it' } },
    }),
    kinds: page('/alarm-kinds', {
      summary: 'List the kinds of alarms with their thresholds',
      label: 'Kinds of alarms',
      input: {},
      after: place(/^[a-z-]{1,40}$/),
      answer: kindFields,
      columns: ['kind', 'severity', 'watched', 'threshold', 'unit', 'forSeconds', 'summary'],
      command: { examples: { 'alarm kinds': 'show when each alarm opens' }, whenEmpty: 'there are no kinds' },
    }),
    ack: post('/alarms/{alarm}/ack', {
      repeat: 'same',
      summary: 'Acknowledge an alarm, so that others see who looks after it; it stays open until it is over',
      label: 'Acknowledge',
      when: ({ state }) => state === 'open',
      input: pick(fields, 'alarm'),
      answer: fields,
      command: {
        examples: { 'alarm ack 7': 'say that you look after alarm 7' },
        says: ({ alarm: id, acknowledgedBy }) => `alarm ${id} is acknowledged by ${acknowledgedBy ?? ''}`,
      },
    }),
    quiet: post('/alarm-kinds/{kind}/quiet', {
      repeat: 'same',
      summary: 'Notify no receiver of alarms of a kind until a time, for example while a carrier is maintained',
      when: ({ state }) => state !== 'closed',
      input: {
        ...pick(fields, 'kind'),
        subject: optional(text({ summary: 'only of this subject, such as alpha', placeholder: '<subject>' }), ''),
        until: instant({ summary: 'end of the quiet time; a time that is over ends it now' }),
      },
      answer: {
        ...pick(fields, 'kind'),
        subject: text({ summary: 'the subject; empty for all' }),
        until: instant({ summary: 'end of the quiet time' }),
      },
      command: {
        arguments: ['kind'],
        examples: {
          'alarm quiet carrier-down --subject alpha --until 2026-02-01T04:00:00Z':
            'notify no receiver of this carrier until then',
        },
        says: ({ kind, subject, until }) =>
          `nobody is notified of ${kind}${subject === '' ? '' : ` ${subject}`} until ${formatInstant(until)}; alarm list shows it`,
      },
    }),
    set: patch('/alarm-kinds/{kind}', {
      summary: 'Set when alarms of a kind open, or turn them off',
      input: {
        ...pick(fields, 'kind'),
        threshold: optional(threshold),
        forSeconds: optional(forSeconds),
        watched: optional(watched),
      },
      answer: kindFields,
      command: {
        examples: {
          'alarm set queue-old --threshold 600': 'open the alarm when a part has waited for ten minutes',
          'alarm set carrier-down --for-seconds 120': 'open the alarm when a carrier is down for two minutes',
        },
        says: settingSays,
      },
    }),
  },
});

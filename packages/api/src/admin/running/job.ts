import { orNone, rows } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { amount, count, instant, oneOf, place, rowId, text } from '../../fields/fields.ts';
import { formatMicros } from '../../values/money.ts';
import { get, page, post, resource } from '../resource.ts';
import { summaryFields } from '../message/message-fields.ts';

/* Jobs: the work of bulk operations (`bulk.ts`). The gateway works through the rows, and goes on after a restart. */

export const jobStates = ['running', 'done', 'stopped'] as const;

const outcome = {
  outcome: text({ summary: 'what became of the rows', example: 'settled' }),
  rows: count({ summary: 'number of these rows' }),
};

const refund = { currency: summaryFields.currency, amount: amount({ summary: 'amount of the refunds' }) };

const fields = {
  id: rowId({ summary: 'id of the job' }),
  operation: text({ summary: 'bulk operation that the job carries out', example: 'message.settleMany' }),
  given: text({ summary: 'filter and other values of the request, as JSON; phone numbers are masked' }),
  reason: text({ summary: 'reason that the operator gave' }),
  operator: text({ summary: 'operator who started the job' }),
  state: oneOf(jobStates, { summary: 'whether the job runs, has looked at all its rows, or was stopped' }),
  startedAt: instant({ summary: 'when the job was started' }),
  endedAt: orNone(instant({ summary: 'when the job ended; null while it runs' })),
  rows: count({ summary: 'rows that matched when the job was started' }),
  decided: count({ summary: 'rows of which the job has decided what becomes of them' }),
  outcomes: rows(outcome, { summary: 'numbers of rows by what became of them' }),
  refunds: rows(refund, { summary: 'sum of the refunds in each currency' }),
};
export type Job = Values<typeof fields>;

const jobId = rowId({ summary: 'id of the job', example: '12' });

/** What became of the rows so far, such as `12 settled, 1 changed meanwhile`. */
function outcomesText({ state, rows: all, decided, outcomes, refunds }: Job): string {
  const counts = outcomes.map((each) => `${each.rows} ${each.outcome}`);
  const money = refunds.map((each) => `${formatMicros(each.amount)} ${each.currency} refunded`);
  const left = state === 'done' && decided < all ? [`${all - decided} unchanged`] : [];
  return [...counts, ...left, ...money].join(', ');
}

export function jobText(row: Job): string {
  const did = { running: 'still runs', done: 'is done', stopped: 'was stopped' }[row.state];
  return `job ${row.id} ${did}: ${outcomesText(row) || 'no row is changed'}`;
}

export const job = resource('job', {
  summary: 'Jobs: changes of many rows, which the gateway makes one after the other',
  operations: {
    list: page('/jobs', {
      summary: 'List jobs with their progress, newest first',
      label: 'Jobs',
      input: {},
      after: place(/^\d{1,15}$/),
      limit: 50,
      answer: fields,
      columns: [
        ...(['id', 'startedAt', 'operation', 'state'] as const),
        { title: 'PROGRESS', of: ({ decided, rows: all }) => `${decided} of ${all}` },
        { title: 'OUTCOMES', of: outcomesText },
        ...(['operator', 'reason', 'endedAt'] as const),
      ],
      command: { examples: { 'job list': 'show running and ended jobs' }, whenEmpty: 'there are no jobs' },
    }),
    show: get('/jobs/{job}', {
      summary: 'Show one job with its filter, its progress and what became of the rows',
      input: { job: jobId },
      answer: fields,
      command: { examples: { 'job show 12': 'show how far job 12 has come' } },
    }),
    stop: post('/jobs/{job}/stop', {
      repeat: 'same',
      summary: 'Stop a job; rows that it has changed stay changed',
      warning: 'Rows that the job has changed stay changed. It cannot go on later.',
      when: (row) => row['state'] === 'running',
      input: { job: jobId },
      answer: fields,
      command: { examples: { 'job stop 12': 'stop job 12' }, says: jobText },
    }),
  },
});

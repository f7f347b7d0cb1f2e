import { ok, refused } from '@morsel/api/values/result.ts';
import { call } from './admin-client.ts';
import type { Command } from './command.ts';
import { column, table, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';

export const carrierTestCommand: Command = {
  words: 'carrier test',
  summary: 'Connect, bind, enquire and unbind with the settings of a carrier, and say what happened',
  arguments: [{ name: 'carrier', summary: 'the name of the carrier' }],
  examples: [
    ['carrier test alpha', 'whether its settings are right, step by step, and what to do if not'],
    ['carrier test alpha --json', 'the same for a script: exit status 1 if a step fails'],
  ],
  notes: () => notes,
  run: async ({ values }, shell) => {
    const reply = await call(shell, 'testCarrier', values);
    if (!reply.ok) return reply;
    const test = toRow(reply.value.value);
    const steps = toRows(test['steps']);
    const text = table({ columns, rows: steps, whenEmpty: '' }, shell.hasColour);
    const report = { json: reply.value.text, text };
    const failed = steps.find((step) => word(step, 'isDone') !== 'true');
    if (!failed) return ok(report);
    shell.report(report);
    return refused({
      kind: 'refused',
      detail: `carrier ${word(test, 'carrier')}, ${word(failed, 'step')}: ${word(failed, 'says')}`,
    });
  },
};

const notes = `It is one bind more than --links, or a pair of them, and its links go on. What the carrier sends meanwhile is kept as on any link.`;

const columns = [
  column('STEP', 'step'),
  column('ADDRESS', 'address'),
  { title: 'TOOK', of: (step: Row) => `${word(step, 'ms')} ms`, isNumber: true },
  { title: 'OK', of: (step: Row) => (word(step, 'isDone') === 'true' ? 'yes' : 'no') },
  column('WHAT HAPPENED', 'says'),
];

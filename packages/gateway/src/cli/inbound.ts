import { ok } from '../core/result.ts';
import { asking, call, reportOf } from './admin-client.ts';
import type { Command } from './command.ts';
import { card, column, numberColumn, table, timeColumn, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';

export const inboundCommands: readonly Command[] = [
  {
    words: 'inbound list',
    summary: 'List messages from phones, the newest first',
    options: [
      { flags: '--account <name>', summary: 'of this account' },
      { flags: '--unmatched', summary: 'to numbers that had no account' },
      { flags: '--number <number>', summary: 'to this number or short code' },
      { flags: '--before <id>', summary: 'older than this one: the next page' },
      { flags: '--limit <count>', summary: 'at most so many, up to 1000 (50)' },
    ],
    examples: [
      ['inbound list --unmatched', 'what nobody gets'],
      ['inbound list --number +41791112233', 'the last messages to a number'],
    ],
    run: async (input, shell) => {
      const unmatched = input.flags.has('unmatched') ? { unmatched: 'true' } : {};
      const reply = await call(shell, 'inbound', { ...input.values, ...unmatched });
      return reply.ok ? ok(reportOf(reply.value, (value) => showPage(toRow(value), shell.hasColour))) : reply;
    },
  },
  {
    words: 'inbound show',
    summary: 'Show one message from a phone, its text among it',
    arguments: [{ name: 'id', summary: 'its msgId' }],
    examples: [['inbound show 1021568371490816', 'what it says, and who sent it']],
    run: asking('inboundMessage', (value) => showMessage(toRow(value))),
  },
];

function showPage(page: Row, hasColour: boolean): string {
  const rows = toRows(page['messages']);
  const lines = table({ columns, rows, whenEmpty: 'there are no such messages' }, hasColour);
  const next = word(page, 'next');
  return next === '' ? lines : `${lines}\nfor older ones: --before ${next}`;
}

const columns = [
  column('ID', 'msgId'),
  timeColumn('RECEIVED', 'receivedTime'),
  { title: 'ACCOUNT', of: (row: Row) => word(row, 'account') || '-' },
  column('SENDER', 'sender'),
  column('RECEIVER', 'receiver'),
  column('CARRIER', 'carrier'),
  column('DCS', 'dcs'),
  numberColumn('PARTS', 'numParts'),
  { title: 'COMPLETE', of: completeOf },
];

function completeOf(row: Row): string {
  const isComplete = word(row, 'complete') === 'true';
  return isComplete ? 'yes' : `no, ${word(row, 'partsReceived')} of ${word(row, 'numParts')}`;
}

function showMessage(message: Row): string {
  const isBinary = word(message, 'dcs') === 'BIN';
  const port = word(message, 'destinationPort');
  const ports = port === '' ? [] : [['ports', `to ${port} from ${word(message, 'sourcePort')}`] as const];
  return card([
    ['message', word(message, 'msgId')],
    ['received', word(message, 'receivedTime')],
    ['account', word(message, 'account') || '- (the number had none)'],
    ['from', word(message, 'sender')],
    ['to', word(message, 'receiver')],
    isBinary ? ['data', word(message, 'data')] : ['text', `"${word(message, 'text')}"`],
    ['encoding', `${word(message, 'dcs')} (data_coding ${word(message, 'dataCoding') || 'unknown'})`],
    ['parts', word(message, 'numParts')],
    ['complete', completeOf(message)],
    ...ports,
    ['carrier', word(message, 'carrier')],
  ]);
}

import { doubtSettlements } from '@morsel/api/values/message.ts';
import { asking } from '../admin-client.ts';
import type { Command } from '../command.ts';
import { messageFind } from './message-find.ts';
import { manyMessageCommands } from './message-many.ts';
import { column, numberColumn, table, timeColumn, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';
import { showTimeLine } from './time-line.ts';

export const messageCommands: readonly Command[] = [
  {
    words: 'message show',
    summary: 'Show the time line of one message, its text among it',
    arguments: [{ name: 'id', summary: 'its msgId' }],
    examples: [['message show 1021568371490816', 'all that happened to it']],
    run: asking('message', showTimeLine),
  },
  ...manyMessageCommands,
  {
    words: 'message in-doubt',
    summary: 'List the parts that were given to a carrier and whose answer never came, the oldest first',
    options: [
      { flags: '--carrier <name>', summary: 'of this carrier' },
      { flags: '--limit <count>', summary: 'at most so many (50)' },
    ],
    examples: [['message in-doubt --carrier alpha', 'what one carrier has, or has not']],
    run: asking('inDoubt', (value, { hasColour }) =>
      table({ columns: inDoubtColumns, rows: toRows(value), whenEmpty: 'nothing is in doubt' }, hasColour),
    ),
  },
  {
    words: 'message settle',
    summary: 'Say what becomes of the parts of a message that are in doubt',
    arguments: [{ name: 'id', summary: 'its msgId' }],
    options: [
      { flags: '--as <word>', summary: 'what you know of them', choices: doubtSettlements, isRequired: true },
      { flags: '--part <number>', summary: 'this part alone' },
    ],
    examples: [
      ['message settle 1021568371490816 --as resend', 'the carrier says it has nothing: send it now'],
      ['message settle 1021568371490816 --as sent', 'the carrier has it: wait for its receipt'],
      ['message settle 1021568371490816 --as unknown', 'nobody will ever know: that is its end'],
    ],
    run: asking('settleDoubt', showTimeLine),
  },
  messageFind,
];

const inDoubtColumns = [
  column('ID', 'msgId'),
  { title: 'PART', of: (row: Row) => `${word(row, 'part')}/${word(row, 'numParts')}` },
  column('ACCOUNT', 'account'),
  column('RECEIVER', 'receiver'),
  column('CARRIER', 'carrier'),
  timeColumn('SINCE', 'since'),
  numberColumn('TIMES', 'times'),
  timeColumn('UNTIL', 'until'),
];

/* The import and export of opt-out lists as CSV. */

import { pick } from '@morsel/api/fields/compose.ts';
import { optOut } from '@morsel/api/admin/number/opt-out.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { refused, type Result } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf, runOperation, type Typed } from '../bind.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { dataIn, unusable } from '../files/data-file.ts';
import { printCsv, rowsMax, showList } from '../list.ts';

export const optOutCommands: readonly Command[] = [
  ...commandsOf(optOut, {
    import: {
      arguments: [{ name: 'file', summary: 'CSV file to read; - for standard input' }],
      options: [{ flags: '--reason <words>', summary: 'reason for lines that have no reason', isRequired: true }],
      run: importList,
    },
  }),
  {
    words: 'optout export',
    summary: 'Print the opt-out list of an account as CSV that optout import can read',
    options: [{ flags: '--account <name>', summary: 'account whose opt-out list to print', isRequired: true }],
    examples: {
      'optout export --account acme > stops.csv': 'writes the list to a file, for another system or for the record',
    },
    run: exportList,
  },
];

async function importList({ account = '' }: Typed, shell: Shell, { values }: Input): ReturnType<Command['run']> {
  const { file = '-', reason: otherwise = '' } = values;
  // The account is checked before the file is read.
  const there = await gatewayCalls(shell).optOut.words({ account });
  if (!there.ok) return there;
  const text = await dataIn(shell, file);
  if (!text.ok) return text;
  const { readOptOutList } = await import('./opt-out-file.ts');
  const { list: read, problems } = readOptOutList(text.value);
  if (problems.length > 0) return refused(unusable(shell, file, problems));
  const entries = read.map(({ receiver, sender, reason }) => ({
    receiver,
    sender: sender || undefined,
    reason: reason || otherwise,
  }));
  return runOperation(optOut.operations.import, { account, list: entries }, shell);
}

const { list } = optOut.operations;
const exported: Operation = {
  ...list,
  answer: pick(list.answer, 'receiver', 'sender', 'since', 'by', 'word', 'reason'),
};

async function exportList({ values: given }: Input, shell: Shell): Promise<Result<Report | undefined, Failure>> {
  if (!shell.isJson) return printCsv({ operation: exported, given }, shell);
  return showList({ operation: list, given: { ...given, limit: String(rowsMax) } }, shell);
}

/* The commands of opt-outs that print sentences, and the import and export of opt-out lists as CSV. */

import { optOut, optOutsMax, ownWordsTable } from '@morsel/api/admin/number/opt-out.ts';
import type { AnswerOf, Operation } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf, type Typed } from '../bind.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { dataIn, unusable } from '../files/data-file.ts';
import { printCsv, rowsMax, showList } from '../list.ts';
import { tableOf } from '../show.ts';
import { card } from '../table.ts';

export const optOutCommands: readonly Command[] = [
  ...commandsOf(optOut, {
    words: { says: wordsText },
    word: { says: wordsText },
    set: { says: handlingText },
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
    examples: [
      ['optout export --account acme > stops.csv', 'writes the list to a file, for another system or for the record'],
    ],
    run: exportList,
  },
];

type Handling = AnswerOf<typeof optOut.operations.words>;

/** Describes the settings of an account's opt-out list, and warns of words that usually mean something else. */
function handlingText({ account: name = '', ...answer }: Handling, shell: Shell): string {
  if (!shell.isJson) for (const warning of answer.warnings ?? []) shell.warn(warning);
  if (answer.words !== 'on')
    return `opt-out words of phones do not change the list of account ${name}; entries on the list still count`;
  const scope = answer.scope === 'account' ? `every sender of ${name}` : 'the number to which the word was sent';
  return `${answer.stopWord ?? 'no word'} opts a phone out of ${scope}, and ${answer.startWord ?? 'no word'} in again`;
}

function wordsText(answer: Handling, shell: Shell): string {
  const usual = card(
    answer.usual.flatMap(({ language, stop, start }) => [
      [language, stop.join(', ')] as const,
      ['', `again: ${start.join(', ') || '-'}`] as const,
    ]),
  );
  if (answer.account === undefined) return usual;
  const own = tableOf(ownWordsTable, answer.accountWords ?? [], {
    ...shell,
    whenEmpty: 'the account has no words of its own',
  });
  return [handlingText(answer, shell), own, `the usual words:\n${usual}`].join('\n\n');
}

async function importList(
  { account: name = '' }: Typed,
  shell: Shell,
  { values }: Input,
): Promise<Result<Report, Failure>> {
  const { file = '-', reason: otherwise = '' } = values;
  const { optOut: calls } = gatewayCalls(shell);
  // The account is checked before the file is read.
  const there = await calls.words({ account: name });
  if (!there.ok) return there;
  const text = await dataIn(shell, file);
  if (!text.ok) return text;
  const { readOptOutList } = await import('./opt-out-file.ts');
  const { list, problems } = readOptOutList(text.value);
  if (problems.length > 0) return refused(unusable(shell, file, problems));
  const entries = list.map(({ receiver, sender, reason }) => ({
    receiver,
    sender: sender === '' ? undefined : sender,
    reason: reason === '' ? otherwise : reason,
  }));
  let added = 0;
  for (let at = 0; at < entries.length; at += optOutsMax) {
    const step = await calls.import({ account: name, list: entries.slice(at, at + optOutsMax) });
    if (!step.ok) {
      const after = at === 0 ? '' : ` (after ${counted(at, 'entry', 'entries')}: import it again)`;
      return refused({ ...step.error, detail: `${step.error.detail}${after}` });
    }
    added += step.value.added;
  }
  const known = entries.length - added;
  const before = known === 0 ? '' : `; ${known} ${known === 1 ? 'was' : 'were'} already on it`;
  return ok({
    json: JSON.stringify({ account: name, entries: entries.length, added }),
    text: `${added} ${added === 1 ? 'receiver was' : 'receivers were'} added to the opt-out list of ${name}${before}`,
  });
}

const { list } = optOut.operations;
const { receiver, sender, since, by, word, reason } = list.answer;
const exported: Operation = { ...list, answer: { receiver, sender, since, by, word, reason } };

async function exportList({ values: given }: Input, shell: Shell): Promise<Result<Report | undefined, Failure>> {
  if (!shell.isJson) return printCsv({ operation: exported, given }, shell);
  return showList({ operation: list, given: { ...given, limit: String(rowsMax) } }, shell);
}

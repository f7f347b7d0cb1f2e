import { readFile } from 'node:fs/promises';
import { problemType } from '@morsel/api/problems.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { listMax } from '@morsel/gateway/operator/number/opt-outs.ts';
import { call } from '../admin-client.ts';
import { optOutActor } from './opt-out.ts';
import type { Command, Failure, Report, Shell } from '../command.ts';
import { usage } from '../command.ts';
import { counted } from '../counted.ts';
import type { ListedOptOut } from './opt-out-file.ts';
import { toRow, toRows, word } from '../table.ts';

const pageSize = '1000';

const listColumns = ['receiver', 'sender', 'since', 'by', 'word', 'reason'] as const;

export const optOutListCommands: readonly Command[] = [
  {
    words: 'optout import',
    summary: 'Put all phones of a CSV file on the list of an account; those that are there stay as they are',
    arguments: [{ name: 'file', summary: 'the file, or - for standard input' }],
    options: [
      { flags: '--account <name>', summary: 'whose list', isRequired: true },
      { flags: '--reason <words>', summary: 'why, for lines that give no reason of their own', isRequired: true },
      optOutActor,
    ],
    examples: [
      ['optout import stops.csv --account acme --reason "list of our last provider"', 'nobody has to say it again'],
    ],
    notes: () =>
      'The file has a heading that names its columns: receiver, and sender and reason if it has them; others are left out.\n' +
      'Without a heading its first column are receivers. A file with a line that cannot be read is refused as a whole.',
    run: importList,
  },
  {
    words: 'optout export',
    summary: 'Print the list of an account as CSV, as import reads it again',
    options: [{ flags: '--account <name>', summary: 'whose list', isRequired: true }],
    examples: [['optout export --account acme > stops.csv', 'for another system, or for the record']],
    run: exportList,
  },
];

async function importList(input: Parameters<Command['run']>[0], shell: Shell): Promise<Result<Report, Failure>> {
  const { file = '-', account = '', reason = '', actor } = input.values;
  // Whose list it is to be is known before the file is looked at.
  const there = await call(shell, 'optOutWords', { account });
  if (!there.ok) return there;
  const text = await readList(file, shell);
  if (!text.ok) return text;
  const { readOptOutList } = await import('./opt-out-file.ts');
  const { list, problems } = readOptOutList(text.value);
  if (problems.length > 0) return refused(failureOf(shell, file, problems));
  let added = 0;
  for (let at = 0; at < list.length; at += listMax) {
    const some = list.slice(at, at + listMax).map((entry) => wireOf(entry, reason));
    const reply = await call(shell, 'importOptOuts', { account, list: some, ...(actor !== undefined && { actor }) });
    if (!reply.ok) {
      const { detail } = reply.error;
      return at === 0
        ? reply
        : refused({ ...reply.error, detail: `${detail} (after ${counted(at, 'entry', 'entries')}: import it again)` });
    }
    added += Number(word(toRow(reply.value.value), 'added'));
  }
  const answer = { account, entries: list.length, added };
  const known = list.length - added;
  return ok({
    json: JSON.stringify(answer),
    text: `${added} ${added === 1 ? 'receiver is' : 'receivers are'} on the list of ${account} now${known > 0 ? `, and ${known} ${known === 1 ? 'was' : 'were'} before` : ''}`,
  });
}

/** One line each for people, all of them in the problem for programs. */
function failureOf(shell: Shell, file: string, problems: readonly string[]): Failure {
  const detail = `${file} cannot be used as it is: nothing was taken`;
  if (!shell.isJson) for (const each of problems) shell.warn(`${file}: ${each}`);
  const problem = {
    type: problemType('usage'),
    title: 'The file cannot be used as it is',
    detail,
    code: 'usage',
    problems,
  };
  return { kind: 'usage', detail, problem: JSON.stringify(problem) };
}

function wireOf({ receiver, sender, reason }: ListedOptOut, otherwise: string) {
  return { receiver, ...(sender !== '' && { sender }), reason: reason === '' ? otherwise : reason };
}

async function readList(file: string, shell: Shell): Promise<Result<string, Failure>> {
  try {
    if (file === '-') return ok(await shell.readInput());
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)));
  } catch (fault) {
    const found = fault instanceof Error && 'code' in fault ? String(fault.code) : 'it cannot be read';
    const code = found === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not in UTF-8' : found;
    return refused(usage(`${file}: ${code}`));
  }
}

async function exportList(input: Parameters<Command['run']>[0], shell: Shell): Promise<Result<Report, Failure>> {
  const { account = '' } = input.values;
  const rows: (readonly string[])[] = [listColumns];
  const entries: unknown[] = [];
  for (let after: string | undefined; ;) {
    const reply = await call(shell, 'optOuts', { account, limit: pageSize, ...(after !== undefined && { after }) });
    if (!reply.ok) return reply;
    const page = toRow(reply.value.value);
    for (const row of toRows(page['optOuts'])) {
      entries.push(row);
      rows.push(listColumns.map((title) => word(row, title)));
    }
    after = word(page, 'next');
    if (after === '') break;
  }
  const { csvOf } = await import('../csv-write.ts');
  return ok({ json: JSON.stringify(entries), text: csvOf(rows) });
}

/* The commands `cdr export` and `cdr check`, which read records page by page. */

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { optional, pick } from '@morsel/api/admin/compose.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { oneOf, text } from '@morsel/api/admin/fields.ts';
import { cdr, cdrFault, cdrSums } from '@morsel/api/admin/message/cdr.ts';
import type { AnswerOf, GivenOf } from '@morsel/api/admin/resource.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { syncFolder } from '@morsel/gateway/store/folder.ts';
import { askGatewayRows, gatewayCalls } from '../admin-client.ts';
import { commandOf, commandsOf } from '../bind.ts';
import { usage, type Command, type Failure, type Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { writeWhole } from '../output.ts';
import { tableOf } from '../show.ts';

type Done = ReturnType<Command['run']>;
type Pages = AnswerOf<typeof cdr.operations.list>;
type Check = AnswerOf<typeof cdr.operations.check>;

/** The most records of a request. */
const pageMax = 1_000;

const exported = {
  ...pick(cdr.operations.list.input, 'from', 'to', 'account', 'carrier'),
  format: optional(oneOf(['csv', 'jsonl'], { summary: 'format of the records' }), 'csv'),
  output: optional(
    text({
      summary: 'new file for the records; one that exists is not overwritten',
      placeholder: '<file>',
      defaultText: 'standard output',
    }),
  ),
};

export const cdrCommands: readonly Command[] = [
  ...commandsOf(cdr, { check: { run: checkRecords } }),
  commandOf({
    words: 'cdr export',
    summary: 'Write all CDRs of a period as CSV or JSON lines',
    input: exported,
    examples: [
      ['cdr export --from 2026-01-01 --to 2026-02-01 --output january.csv', 'write the records of a month'],
      ['cdr export --from 2026-01-31 --to 2026-02-01 --output 2026-01-31.csv', 'write the records of one day (UTC)'],
      ['cdr export --account acme --format jsonl', 'print all records of an account as JSON lines'],
    ],
    notes:
      () => `The period goes by recordedAt. A correction is a record of its own, in the period in which it came. So the amounts of all
periods add up to what the accounts paid. The file of --output gets its name when all records are in it, and exit status 0 means
that they are on the disk.`,
    run: exportRecords,
  }),
];

/** The records of all pages. The next page is requested while the caller uses the present one. */
export async function* recordPages(shell: Shell, given: GivenOf<typeof cdr.operations.list>) {
  const ask = (after: typeof given.after) => gatewayCalls(shell).cdr.list({ ...given, after, limit: pageMax });
  for (let coming: ReturnType<typeof ask> | undefined = ask(given.after); coming !== undefined;) {
    const page: Result<Pages, Failure> = await coming;
    const next: string | null = page.ok ? page.value.next : null;
    coming = next === null ? undefined : ask(next);
    yield page;
  }
}

async function exportRecords({ format, output, ...given }: Values<typeof exported>, shell: Shell): Done {
  let lines = 0;
  // Both ways to write are synchronous, so that records do not wait in memory for a slow reader.
  const exportBy = async (write: (rows: string) => void) => {
    const asked = {
      operation: cdr.operations.list,
      given,
      form: format === 'csv' ? 'text/csv' : 'application/jsonl',
    } as const;
    const done = await askGatewayRows(shell, asked, (rows) => {
      write(rows);
      lines += rows.split('\n').length - 1;
      shell.progress?.(counted(lines, 'record'));
    });
    shell.progress?.('');
    return done;
  };
  if (output === undefined) return exportBy(shell.print);
  const done = await writeNewFile(output, exportBy);
  if (!done.ok) return done;
  const records = format === 'csv' ? lines - 1 : lines;
  return ok({ json: writeJson({ records, file: output }), text: `${counted(records, 'record')} in ${output}` });
}

/** Writes a file that gets its name when it is whole and on the disk. A file that exists is not overwritten. */
async function writeNewFile(
  file: string,
  fill: (write: (rows: string) => void) => Promise<Result<undefined, Failure>>,
): Promise<Result<undefined, Failure>> {
  if (existsSync(file)) return refused(usage(`${file} exists: name a new file`));
  const made = `${file}.${process.pid}.new`;
  let descriptor: number;
  try {
    rmSync(made, { force: true });
    descriptor = openSync(made, 'wx', 0o600);
  } catch (fault) {
    return refused(usage(`${file} cannot be made: ${codeOf(fault)}`));
  }
  let lost: unknown;
  try {
    const done = await fill((rows) => {
      try {
        writeWhole(descriptor, rows);
      } catch (fault) {
        lost = fault;
        throw fault;
      }
    });
    if (lost !== undefined) throw lost;
    if (!done.ok) return done;
    fsyncSync(descriptor);
    renameSync(made, file);
    syncFolder(dirname(file));
    return done;
  } catch (fault) {
    return refused({ kind: 'refused', detail: `${file} could not be written: ${codeOf(fault)}` });
  } finally {
    closeSync(descriptor);
    rmSync(made, { force: true });
  }
}

function codeOf(fault: unknown): string {
  return fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
}

const { sums: sumList, faults: faultList } = cdr.operations.check.answer;

async function checkRecords(given: GivenOf<typeof cdr.operations.check>, shell: Shell): Done {
  const sums = new Map<string, Check['sums'][number]>();
  const faults: Check['faults'][number][] = [];
  let looked = 0;
  for (let after: string | undefined; ;) {
    const chunk = await gatewayCalls(shell).cdr.check({ ...given, after });
    if (!chunk.ok) return chunk;
    for (const each of chunk.value.sums) sums.set(each.currency, added(sums.get(each.currency), each));
    faults.push(...chunk.value.faults);
    looked += chunk.value.looked;
    shell.progress?.(`${counted(looked, 'row')}, ${counted(faults.length, 'fault')}`);
    if (chunk.value.next === null) break;
    after = chunk.value.next;
  }
  shell.progress?.('');
  const rows = [...sums.values()];
  const isEqual = rows.every(({ charged, refunded, recorded, open }) => charged - refunded === recorded + open);
  const isRight = faults.length === 0 && isEqual;
  const { hasColour } = shell;
  const said = tableOf({ answer: cdrSums }, rows, { hasColour, whenEmpty: 'no messages in this period' });
  const json = writeJson({ isRight, sums: sumList.json(rows), faults: faultList.json(faults) });
  const wrong = faults.length === 0 ? '' : `\n\n${tableOf({ answer: cdrFault }, faults, { hasColour, whenEmpty: '' })}`;
  shell.report({ json, text: said + wrong });
  if (isRight) return ok(undefined);
  const detail = isEqual ? `the records have ${counted(faults.length, 'fault')}` : 'the records are not the ledger';
  return refused({ kind: 'refused', detail });
}

function added(before: Check['sums'][number] | undefined, sum: Check['sums'][number]): Check['sums'][number] {
  if (before === undefined) return sum;
  return {
    currency: sum.currency,
    messages: before.messages + sum.messages,
    charged: toMicros(before.charged + sum.charged),
    refunded: toMicros(before.refunded + sum.refunded),
    recorded: toMicros(before.recorded + sum.recorded),
    open: toMicros(before.open + sum.open),
  };
}

/* The command `cdr export`, which reads records page by page. */

import { counted } from '@morsel/api/fields/shown.ts';
import { optional, pick } from '@morsel/api/fields/compose.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { oneOf, text } from '@morsel/api/fields/fields.ts';
import { cdr } from '@morsel/api/admin/message/cdr.ts';
import type { AnswerOf, GivenOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { askGatewayRows, gatewayCalls } from '../admin-client.ts';
import { commandOf, commandsOf } from '../bind.ts';
import type { Command, Failure, Shell } from '../command.ts';
import { writeNewFile } from '../files/data-file.ts';

type Done = ReturnType<Command['run']>;
type Pages = AnswerOf<typeof cdr.operations.list>;

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
  ...commandsOf(cdr),
  commandOf({
    words: 'cdr export',
    summary: 'Write all CDRs of a period as CSV or JSON lines',
    input: exported,
    examples: {
      'cdr export --from 2026-01-01 --to 2026-02-01 --output january.csv': 'write the records of a month',
      'cdr export --from 2026-01-31 --to 2026-02-01 --output 2026-01-31.csv': 'write the records of one day (UTC)',
      'cdr export --account acme --format jsonl': 'print all records of an account as JSON lines',
    },
    notes:
      () => `The period goes by recordedAt. A correction is a record of its own, in the period in which it came. So the amounts of all
periods add up to what the accounts paid. The file of --output gets its name when all records are in it, and exit status 0 means
that they are on the disk.`,
    run: exportRecords,
  }),
];

/** Reads records page by page. The next page is requested while the caller uses the present page. */
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

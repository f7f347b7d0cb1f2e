import { timeZone } from '@morsel/api/admin/account/settings.ts';
import { privacy } from '@morsel/api/admin/privacy/privacy.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf } from '../bind.ts';
import { usage, type Command, type Input, type Shell } from '../command.ts';
import { writeNewFile } from '../files/data-file.ts';
import type { ExportedRow } from './export-page.ts';

/* The command `privacy export`, which reads the rows page by page, and may also write an HTML page for the person. */

export const privacyCommands = commandsOf(privacy, {
  export: {
    run: exportRows,
    options: [
      { flags: '--page <file>', summary: 'also write a page for people, as HTML into this new file' },
      { flags: '--time-zone <name>', summary: 'time zone of the page (default: that of this machine)' },
    ],
  },
});

const zone = timeZone({ summary: 'time zone of the page' });

async function exportRows(
  { receiver = '' }: { readonly [field: string]: string },
  shell: Shell,
  { values: { page: file, timeZone: given = Intl.DateTimeFormat().resolvedOptions().timeZone } }: Input,
): ReturnType<Command['run']> {
  const timeZoneName = zone.read(given);
  if (!timeZoneName.ok) return refused(usage(`time-zone ${timeZoneName.error}`));
  const calls = gatewayCalls(shell);
  const rows: { readonly table: string; readonly row: string }[] = [];
  for (let after: string | null = 'message/0'; after !== null;) {
    const page = await calls.privacy.export({ receiver, after });
    if (!page.ok) return page;
    rows.push(...page.value.rows);
    after = page.value.next;
  }
  if (file !== undefined) {
    const { pageOf } = await import('./export-page.ts');
    const read = rows.map(({ table, row }): ExportedRow => ({ table, row: { ...Object(JSON.parse(row)) } }));
    const html = pageOf(read, { receiver, timeZone: timeZoneName.value, at: Date.now() });
    const written = await writeNewFile(file, html);
    if (!written.ok) return written;
  }
  const text = rows.map(({ table, row }) => `{"table":${JSON.stringify(table)},"row":${row}}`).join('\n');
  return ok({ text, json: text });
}

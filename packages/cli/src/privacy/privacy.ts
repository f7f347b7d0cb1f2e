import { privacy } from '@morsel/api/admin/privacy/privacy.ts';
import { ok } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf } from '../bind.ts';
import type { Command, Shell } from '../command.ts';

/* The command `privacy export`, which asks for page after page. */

export const privacyCommands = commandsOf(privacy, { export: { run: exportRows } });

async function exportRows(
  { receiver = '' }: { readonly [field: string]: string },
  shell: Shell,
): ReturnType<Command['run']> {
  const calls = gatewayCalls(shell);
  const lines: string[] = [];
  for (let after: string | null = 'message/0'; after !== null;) {
    const page = await calls.privacy.export({ receiver, after });
    if (!page.ok) return page;
    for (const { table, row } of page.value.rows) lines.push(`{"table":${JSON.stringify(table)},"row":${row}}\n`);
    after = page.value.next;
  }
  const text = lines.join('');
  return ok({ text, json: text });
}

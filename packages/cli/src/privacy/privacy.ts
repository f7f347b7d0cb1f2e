import { privacy } from '@morsel/api/admin/privacy/privacy.ts';
import { ok } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf } from '../bind.ts';
import type { Command, Shell } from '../command.ts';

/* The command `privacy export`, which reads the rows page by page. */

export const privacyCommands = commandsOf(privacy, { export: { run: exportRows } });

async function exportRows({ receiver }: { readonly receiver: string }, shell: Shell): ReturnType<Command['run']> {
  const lines: string[] = [];
  for (let after: string | null = 'message/0'; after !== null;) {
    const page = await gatewayCalls(shell).privacy.export({ receiver, after });
    if (!page.ok) return page;
    const { rows, next } = page.value;
    lines.push(...rows.map(({ table, row }) => `{"table":${JSON.stringify(table)},"row":${row}}`));
    after = next;
  }
  const text = lines.join('\n');
  return ok({ text, json: text });
}

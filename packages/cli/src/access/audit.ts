/* The export of the audit log, and its check with a hash that was noted earlier. */

import { audit } from '@morsel/api/admin/access/audit.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { refused, type Result } from '@morsel/api/values/result.ts';
import { askGatewayRows, gatewayCalls } from '../admin-client.ts';
import { commandOf, commandsOf, runOperation } from '../bind.ts';
import { usage, type Command, type Failure, type Input, type Shell } from '../command.ts';

const { list } = audit.operations;
const { order: _order, limit: _limit, after: _after, ...filter } = list.input;
type Filter = Values<typeof filter>;

export const auditCommands: readonly Command[] = [
  ...commandsOf(audit, {
    verify: {
      run: verify,
      options: [
        { flags: '--head <entry:hash>', summary: 'an entry with its hash, as noted after an earlier audit verify' },
      ],
    },
  }),
  commandOf({
    words: 'audit export',
    summary: 'Print the audit log as JSON lines, oldest entry first',
    input: filter,
    examples: {
      'audit export > audit.jsonl': 'write the whole log to a file, one entry on each line',
      'audit export --since 2027-01-01 --until 2027-02-01': 'print the entries of January',
    },
    run: exportEntries,
  }),
];

async function exportEntries(given: Filter, shell: Shell): Promise<Result<undefined, Failure>> {
  const asked = { operation: list, given: { ...given, order: 'oldest' }, form: 'application/jsonl' } as const;
  return askGatewayRows(shell, asked, (rows) => shell.print(rows));
}

/** Checks the entry that the operator noted with its hash, and then the whole audit log. */
async function verify(_given: object, shell: Shell, { values }: Input): ReturnType<Command['run']> {
  const [, entry, hash] = /^(\d{1,4}-\d{1,15}):([0-9a-f]{64})$/.exec(values['head'] ?? '') ?? [];
  if (values['head'] !== undefined && entry === undefined) {
    return refused(usage('head must be an entry and its hash, as audit verify prints them, such as 0-17:5ab3…'));
  }
  const noted = entry === undefined ? undefined : await gatewayCalls(shell).audit.show({ entry });
  if (noted && !noted.ok && noted.error.code !== 'does_not_exist') return noted;
  if (!noted || (noted.ok && noted.value.hash === hash)) return runOperation(audit.operations.verify, {}, shell);
  const detail = noted.ok
    ? 'the entry has another hash than the noted one: it was changed, or an entry before it'
    : 'the noted entry is missing: it was removed';
  const before = { checked: 0, last: null, hash: null, faults: [{ entry, detail }] };
  return runOperation(audit.operations.verify, {}, shell, { before: [before] });
}

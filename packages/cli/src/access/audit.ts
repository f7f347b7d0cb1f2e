/* The commands of the audit log that call the gateway several times: its export, and the check of its hashes. */

import { audit } from '@morsel/api/admin/access/audit.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { askGatewayRows, gatewayCalls } from '../admin-client.ts';
import { commandOf, commandsOf } from '../bind.ts';
import { usage, type Command, type Failure, type Input, type Report, type Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { cardOf } from '../show.ts';

const { list, show } = audit.operations;
const { order: _order, limit: _limit, after: _after, ...filter } = list.input;
type Filter = Values<typeof filter>;
type Entry = Values<typeof list.answer>;

export const auditCommands: readonly Command[] = [
  ...commandsOf(audit, {
    show: { says: entryText },
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
    examples: [
      ['audit export > audit.jsonl', 'write the whole log to a file, one entry on each line'],
      ['audit export --since 2027-01-01 --until 2027-02-01', 'print the entries of January'],
    ],
    run: exportEntries,
  }),
];

/** One entry, with its request and its changes as indented JSON. */
function entryText({ given, changes, ...entry }: Entry, shell: Shell): string {
  const { given: _given, changes: _changes, ...answer } = show.answer;
  const parts = [
    ['request', given],
    ['changes', changes],
  ] as const;
  const texts = parts.map(([title, json]) => `${title}\n${JSON.stringify(JSON.parse(json), undefined, 2)}`);
  return [cardOf({ answer }, entry, shell), ...texts].join('\n\n');
}

async function exportEntries(given: Filter, shell: Shell): Promise<Result<undefined, Failure>> {
  const asked = { operation: list, given: { ...given, order: 'oldest' }, form: 'application/jsonl' } as const;
  return askGatewayRows(shell, asked, (rows) => shell.print(rows));
}

interface Verified {
  checked: number;
  /** The newest entry of each node. */
  readonly heads: { readonly entry: string; readonly hash: string }[];
  /** A fault that is of no entry has none. */
  readonly faults: { readonly entry: string | null; readonly detail: string }[];
}

async function verify(_given: object, shell: Shell, { values }: Input): Promise<Result<Report, Failure>> {
  const [, entry, hash] = /^(\d{1,4}-\d{1,15}):([0-9a-f]{64})$/.exec(values['head'] ?? '') ?? [];
  if (values['head'] !== undefined && entry === undefined) {
    return refused(usage('head must be an entry and its hash, as audit verify prints them, such as 0-17:5ab3…'));
  }
  const calls = gatewayCalls(shell).audit;
  const found: Verified = { checked: 0, heads: [], faults: [] };
  if (entry !== undefined) {
    const noted = await calls.show({ entry });
    if (!noted.ok && noted.error.code !== 'does_not_exist') return noted;
    if (!noted.ok) found.faults.push({ entry, detail: 'the noted entry is missing: it was removed' });
    else if (noted.value.hash !== hash) {
      const detail = 'the entry has another hash than the noted one: it was changed, or an entry before it';
      found.faults.push({ entry, detail });
    }
  }
  for (let after: string | undefined; ;) {
    const step = await calls.verify({ after });
    if (!step.ok) return step;
    const { checked, last, hash: newest, faults, next } = step.value;
    found.checked += checked;
    if (last !== null && newest !== null) found.heads.push({ entry: last, hash: newest });
    found.faults.push(...faults);
    if (next === null) break;
    after = next;
    shell.progress?.(`${found.checked} entries`);
  }
  shell.progress?.('');
  return verdict(found, shell);
}

function verdict(found: Verified, shell: Shell): Result<Report, Failure> {
  const heads = found.heads.map(({ entry, hash }) => `newest entry ${entry}:${hash}`);
  const faults = found.faults.map(({ entry, detail }) => `fault${entry === null ? '' : ` at ${entry}`}: ${detail}`);
  const checked = `checked ${counted(found.checked, 'entry', 'entries')}`;
  const isWhole = faults.length === 0 ? ['none was changed or removed'] : faults;
  const report = { json: JSON.stringify(found), text: [checked, ...heads, ...isWhole].join('\n') };
  if (faults.length === 0) return ok(report);
  shell.report(report);
  return refused({ kind: 'refused', detail: `the audit log has ${counted(faults.length, 'fault')}` });
}

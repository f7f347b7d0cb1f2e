import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { alarmKindNames, alarmKindOf } from '@morsel/api/admin/alarm/kinds.ts';

const page = join(import.meta.dirname, '../../../../../docs/alarms.md');

it('docs/alarms.md has each kind with its severity, threshold and time', () => {
  const lines = readFileSync(page, 'utf8').split('\n');
  const cells = lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    cells.map(([, ...row]) => row.slice(0, 5)),
    alarmKindNames.map((kind) => {
      const { severity, summary, threshold, forSeconds } = alarmKindOf(kind);
      return [
        `\`${kind}\``,
        severity,
        summary,
        threshold ? `${threshold.value} ${threshold.unit}` : '-',
        `${forSeconds} s`,
      ];
    }),
  );
});

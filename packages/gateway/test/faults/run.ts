/* `npm run faults`: runs the scripts of this folder one after the other. Words restrict them: `npm run faults -- disk`. */

import { join } from 'node:path';
import { Child } from '../support/gateway/child.ts';
import { exitOnSignals } from '../support/ends-with-us.ts';
import { skipStatus } from './script.ts';

const scripts = ['power-cut', 'stalled-fsync', 'full-disk', 'descriptors', 'clock-steps', 'half-open', 'slow-peers'];

exitOnSignals();
const words = process.argv.slice(2);
const chosen = scripts.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
const totals = { scripts: chosen.length, skipped: 0, failed: 0, accepted: 0, lost: 0, double: 0 };
for (const name of chosen) {
  const { status, out, errors } = await new Child([], { file: join(import.meta.dirname, `${name}.ts`) }).ended;
  if (status === skipStatus) totals.skipped += 1;
  else if (status !== 0) totals.failed += 1;
  for (const figure of ['accepted', 'lost', 'double'] as const) {
    totals[figure] += Number(new RegExp(`\\b${figure} (\\d+)`).exec(out)?.[1] ?? 0);
  }
  process.stdout.write(`${name.padEnd(14)} ${out.trim()}${errors && `\n${errors}`}\n`);
}
process.stdout.write(`${JSON.stringify(totals)}\n`);
process.exit(totals.failed === 0 && totals.skipped < chosen.length ? 0 : 1);

/**
 * Real PDUs and receipts that are kept beside the checkout and not in it. Tests that use them say so when they are absent,
 * and go on with the project's own vectors.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';

const shared = resolve(import.meta.dirname, '../../../../shared/data');

/** The objects of a JSON-lines file; none, and a line in the test's output, when the file is absent. */
export function readShared(test: Pick<TestContext, 'diagnostic'>, name: string): readonly unknown[] {
  const path = resolve(shared, name);
  if (!existsSync(path)) {
    test.diagnostic(`shared data ${name} are absent: only the project's own vectors are tested`);
    return [];
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
}

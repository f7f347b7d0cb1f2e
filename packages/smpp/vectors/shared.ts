/*
 * Real PDUs and receipts, whose files are beside the checkout. If they are missing, tests say so and use only the
 * vectors of this package.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';

const shared = resolve(import.meta.dirname, '../../../../shared/data');

/** Reads the objects of a JSON-lines file. If the file is missing, returns none, and the test prints a line. */
export function readShared(test: Pick<TestContext, 'diagnostic'>, name: string): readonly unknown[] {
  const path = resolve(shared, name);
  if (!existsSync(path)) {
    test.diagnostic(`shared data ${name} are absent: only the project's own vectors are tested`);
    return [];
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
}

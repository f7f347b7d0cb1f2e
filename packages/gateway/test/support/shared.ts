import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/* Reads test data that is stored beside the checkout. Without this data the tests pass, with a diagnostic. */

const folder = join(import.meta.dirname, '../../../../../shared/data');

/** The text of a file of test data; undefined, with a diagnostic in the test's output, if the file is missing. */
export function readShared(test: Pick<TestContext, 'diagnostic'>, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return readFileSync(path, 'utf8');
  test.diagnostic(`../shared/data/${name} is absent: only the vectors of this repository are tested`);
  return undefined;
}

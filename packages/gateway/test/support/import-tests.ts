import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../../..');

/** It starts a gateway for a test file when that imports it, so each file has a module of its own. */
const ofOneFile = '/test/support/admin-api.ts';

/**
 * Runs the test files of a folder in this process. These tests share only code, and a process for each file would
 * cost more than most tests. `npm test` leaves out these folders and runs every other test file in a process of its
 * own.
 */
export async function importTests(...patterns: readonly string[]): Promise<void> {
  const files = patterns.flatMap(withoutBraces).flatMap(filesOf);
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      return found.url.endsWith(ofOneFile) ? { ...found, url: `${found.url}?of=${context.parentURL ?? ''}` } : found;
    },
  });
  for (const file of [...new Set(files)].toSorted()) await import(join(packages, file));
}

/** Refuses a pattern without a file, such as that of a test which was renamed. */
function filesOf(pattern: string): readonly string[] {
  const files = globSync(pattern, { cwd: packages });
  if (files.length === 0) throw new Error(`no test file matches ${pattern}`);
  return files;
}

/** `{a,b}.test.ts` as `a.test.ts` and `b.test.ts`, because each of them must have a file. */
function withoutBraces(pattern: string): readonly string[] {
  const [braces, alternatives] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (braces === undefined || alternatives === undefined) return [pattern];
  return alternatives.split(',').flatMap((each) => withoutBraces(pattern.replace(braces, each)));
}

/*
 * Counts the lines of production code: TypeScript that git knows, without tests, their support, and generated files.
 * `npm run lines` counts the last commit, and `npm run lines REVISION` any other.
 */

import { execFileSync } from 'node:child_process';

const [revision = 'HEAD'] = process.argv.slice(2);
const git = (...words: readonly string[]): string =>
  execFileSync('git', words, { encoding: 'utf8', maxBuffer: 2 ** 28 });

/** Files that do not count: tests, their support, and files that a program writes. */
const apart = /\.test\.tsx?$|(^|\/)(test|vectors|fixtures)\/|\.d\.ts$|^packages\/client\/src\/contract\.ts$/;

const sums = new Map<string, number>();
for (const line of git('ls-tree', '-r', '--format=%(objectname) %(path)', revision).split('\n')) {
  const [object = '', path = ''] = line.split(' ');
  if (!/\.tsx?$/.test(path) || apart.test(path)) continue;
  const lines = git('cat-file', 'blob', object).split('\n').length - 1;
  const folder = path.startsWith('packages/') ? path.split('/').slice(0, 2).join('/') : (path.split('/')[0] ?? '');
  sums.set(folder, (sums.get(folder) ?? 0) + lines);
}
const sum = [...sums.values()].reduce((all, lines) => all + lines, 0);
for (const [folder, lines] of [...sums, ['in all', sum] as const])
  process.stdout.write(`${String(lines).padStart(7)}  ${folder}\n`);

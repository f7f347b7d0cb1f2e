/* Compiles our programs in C: the carrier and the client, which use little CPU. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const compiler = 'cc';
const compiled = new Map<string, string>();

/** Returns the path of the program `NAME.c`. It is compiled once, and removed when this process ends. */
export function compile(name: string): string {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'morsel-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, name);
  execFileSync(compiler, ['-O2', '-o', program, join(import.meta.dirname, `${name}.c`)]);
  compiled.set(name, program);
  return program;
}

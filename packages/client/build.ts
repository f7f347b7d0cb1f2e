import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/*
 * Compiles src/ into the folder that is given, dist/ by default, and puts the license of what is published beside that folder: at the root of
 * the package, where npm and others look for it.
 */

const folder = process.argv[2] ?? join(import.meta.dirname, 'dist');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const config = join(import.meta.dirname, 'tsconfig.build.json');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(process.execPath, [compiler, '-p', config, '--outDir', folder], { stdio: 'inherit' });
// The compiler leaves the names of imports in declarations as they are. Compilers before 5.7 do not read the ending .ts.
for (const name of readdirSync(folder).filter((each) => each.endsWith('.d.ts'))) {
  const path = join(folder, name);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'"));
}
copyFileSync(join(import.meta.dirname, '../../LICENSE'), join(dirname(folder), 'LICENSE'));

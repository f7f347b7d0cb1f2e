import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockedPackages } from './locked.ts';
import { copyPages, linksOf } from './pages.ts';

/*
 * Makes the npm package @morsel/morsel: the command line, the gateway and what they import, as JavaScript, because Node does not
 * strip types below node_modules. Types become spaces, so lines and columns of a stack trace are those of the source. The
 * dependencies are bundled in the versions of package-lock.json, from the node_modules of this checkout.
 *
 * The package also has the guides, and the files that they link to. The package of clients, @morsel/client, is packed
 * here, too, so that both packages name the same publisher.
 *
 *   npm run pack -- FOLDER [VERSION]    writes FOLDER/package and FOLDER/morsel-morsel-VERSION.tgz; npm runs it with Node 24
 */

const root = join(import.meta.dirname, '../..');
const packages = ['api', 'cli', 'gateway', 'gsm', 'simulator', 'smpp'];
const program = 'packages/cli/src/morsel.js';
const consoleFiles = 'packages/console/dist';

interface Manifest {
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: object;
  readonly scripts?: object;
  readonly homepage?: string;
  readonly repository?: { readonly type: string; readonly url: string };
  readonly bugs?: { readonly url?: string; readonly email?: string };
}

type Publication = Pick<Manifest, 'homepage' | 'repository' | 'bugs'>;

/** Writes the package into `folder`/package, packs it there, and returns the path of the tarball. */
export function packMorsel(folder: string, version = morselVersion): string {
  const target = join(folder, 'package');
  for (const name of packages) compile(join('packages', name, 'src'), target);
  // `npm ci` has built the console.
  cpSync(join(root, consoleFiles), join(target, consoleFiles), { recursive: true });
  // The gateway reads its version from its own manifest.
  writeJson(join(target, 'packages/gateway/package.json'), { name: '@morsel/gateway', version, type: 'module' });
  const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const bundled = lockedPackages(lock, directDependencies());
  for (const [path, each] of bundled) bundle(path, each, target);
  writeJson(join(target, 'package.json'), publishedManifest(version, bundled));
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  writeFileSync(join(target, 'README.md'), readme);
  copyPages(linksOf(readme), target);
  return packFolder(target, folder);
}

/** Compiles and packs @morsel/client, and returns the path of the tarball. */
export function packClient(folder: string): string {
  const target = join(folder, 'client');
  mkdirSync(target, { recursive: true });
  execFileSync(process.execPath, [join(root, 'packages/client/build.ts'), join(target, 'dist')], { stdio: 'inherit' });
  copyFileSync(join(root, 'packages/client/README.md'), join(target, 'README.md'));
  const { scripts: _ours, devDependencies: _tests, ...manifest } = manifestOf('packages/client/package.json');
  writeJson(join(target, 'package.json'), { ...manifest, ...publication() });
  return packFolder(target, folder);
}

/** The fields about the publisher that are set in the package.json of this repository. */
export function publication(): Publication {
  const { homepage, repository, bugs } = manifestOf('package.json');
  const contact = Object.fromEntries(Object.entries(bugs ?? {}).filter(([, value]) => value !== ''));
  return {
    ...(homepage && { homepage }),
    ...(repository?.url && { repository }),
    ...(Object.keys(contact).length > 0 && { bugs: contact }),
  };
}

/** Packs a folder with npm into the folder `to`, and returns the path of the tarball. */
function packFolder(folder: string, to: string): string {
  const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', to];
  const name = execFileSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return join(to, name.trim());
}

/** The version of this checkout. */
const morselVersion = manifestOf('package.json').version;

function directDependencies(): readonly string[] {
  const all = packages.flatMap((name) => Object.keys(manifestOf(`packages/${name}/package.json`).dependencies ?? {}));
  return [...new Set(all)].filter((name) => !name.startsWith('@morsel/')).toSorted();
}

function publishedManifest(version: string, bundled: ReadonlyMap<string, string>): object {
  const { description, license } = manifestOf('package.json');
  const names = directDependencies();
  return {
    name: '@morsel/morsel',
    version,
    description,
    keywords: ['sms', 'smpp', 'gateway', 'smsc'],
    license,
    ...publication(),
    type: 'module',
    bin: { morsel: program },
    files: ['packages', 'docs', 'deploy', '*.md'],
    dependencies: Object.fromEntries(names.map((name) => [name, bundled.get(`node_modules/${name}`)])),
    bundleDependencies: names,
    engines: { node: '>=24' },
  };
}

/** Files of a dependency that no program reads. */
const unread = /(?:\.map|\.d\.[cm]?ts|(?<!\.d)\.[cm]?ts)$|\/(?:test|tests|__tests__|benchmarks?|docs|\.github)(?:\/|$)/;

function bundle(path: string, version: string, target: string): void {
  const source = join(root, path);
  const installed = manifestOf(join(path, 'package.json')).version;
  if (installed !== version)
    throw new Error(`${path} is ${installed}, but package-lock.json has ${version}: run npm ci`);
  cpSync(source, join(target, path), {
    recursive: true,
    // Nested dependencies are left out here, because each has its own entry in the lock.
    filter: (from) =>
      !/\/node_modules(?:\/|$)/.test(from.slice(source.length)) && !unread.test(from.slice(source.length)),
  });
}

function compile(source: string, target: string): void {
  for (const name of readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })) {
    const path = join(source, name);
    const isProgram = path.endsWith('.ts');
    if (name.endsWith('.test.ts') || (!isProgram && !path.endsWith('.sql'))) continue;
    const to = join(target, isProgram ? scriptOf(path) : path);
    mkdirSync(dirname(to), { recursive: true });
    if (isProgram) writeFileSync(to, javaScriptOf(path), { mode: scriptOf(path) === program ? 0o755 : 0o644 });
    else copyFileSync(join(root, path), to);
  }
}

/** The name of a compiled file: .ts becomes .js. */
function scriptOf(path: string): string {
  return path.replace(/\.ts$/, '.js');
}

/** The names of other source files, which stand in quotes in imports and in the URLs of threads. */
const namesOfSources = /(['"`])((?:\.{1,2}\/|@morsel\/)[^'"`\n]*)\1/g;

function javaScriptOf(path: string): string {
  return stripTypeScriptTypes(readFileSync(join(root, path), 'utf8')).replace(
    namesOfSources,
    (whole, quote: string, name: string) => {
      if (name.startsWith('@morsel/')) return `${quote}${relativeName(path, name)}${quote}`;
      return name.endsWith('.ts') ? `${quote}${scriptOf(name)}${quote}` : whole;
    },
  );
}

/** The file that a name of one of our packages means, as a relative path. */
function relativeName(from: string, name: string): string {
  const file = relative(root, fileURLToPath(import.meta.resolve(name)));
  const path = relative(dirname(from), scriptOf(file));
  return path.startsWith('.') ? path : `./${path}`;
}

function manifestOf(path: string): Manifest {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
  return manifest;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

if (import.meta.main) {
  const [folder = '', version] = process.argv.slice(2);
  if (folder === '') throw new Error('usage: npm run pack -- FOLDER [VERSION]');
  process.stdout.write(`${packMorsel(resolve(folder), version)}\n`);
}

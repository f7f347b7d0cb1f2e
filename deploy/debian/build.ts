import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { publication } from '../npm/pack.ts';

/*
 * Makes the Debian package from the npm package and Node 24, which no stable Debian has. The same sources, SOURCE_DATE_EPOCH and
 * dpkg-deb give the same bytes.
 *
 *   node deploy/debian/build.ts NPM-PACKAGE.tgz FOLDER    writes FOLDER/morsel_VERSION_ARCHITECTURE.deb
 */

const here = import.meta.dirname;
const root = join(here, '../..');
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The scripts that dpkg runs, and the list of files that dpkg does not replace without a question. */
const scripts = ['postinst', 'prerm', 'postrm', 'conffiles'];

/** Builds the package, and returns its path. */
export function buildDebian(tarball: string, folder: string, epoch: string): string {
  const architecture = architectures[process.arch];
  if (architecture === undefined) throw new Error(`there is no package for ${process.arch}`);
  const work = mkdtempSync(join(tmpdir(), 'morsel-deb-'));
  try {
    const version = fill(work, tarball);
    const { homepage, bugs } = publication();
    const control = readFileSync(join(here, 'control'), 'utf8')
      .replace('@VERSION@', version)
      .replace('@CONTACT@', bugs?.email ?? 'morsel@localhost')
      .replace('@HOMEPAGE@', homepage === undefined ? '' : `Homepage: ${homepage}\n`)
      .replace('@ARCHITECTURE@', architecture)
      .replace('@SIZE@', String(Math.ceil(sizeOf(work) / 1024)));
    mkdirSync(join(work, 'DEBIAN'), { mode: 0o755 });
    writeFileSync(join(work, 'DEBIAN/control'), control);
    for (const name of scripts)
      copy(join(here, name), join(work, 'DEBIAN', name), name === 'conffiles' ? 0o644 : 0o755);
    const file = join(folder, `morsel_${version}_${architecture}.deb`);
    // The threads and the level are fixed, because others give other bytes. zstd takes 2 s where xz takes a minute.
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z6', '--threads-max=1', '--build', work, file], {
      env: { ...process.env, SOURCE_DATE_EPOCH: epoch },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Puts every file at its place, and returns the version. */
function fill(work: string, tarball: string): string {
  chmodSync(work, 0o755);
  const library = join(work, 'usr/lib/morsel');
  mkdirSync(library, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', library, '--strip-components=1', '--no-same-owner']);
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', library]);
  const manifest: { readonly version: string } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));
  copy(nodeProgram(), join(library, 'bin/node'), 0o755);
  copy(join(here, 'morsel'), join(work, 'usr/bin/morsel'), 0o755);
  copy(join(here, 'morsel.env'), join(work, 'etc/morsel/morsel.env'), 0o640);
  copy(join(root, 'deploy/morsel.service'), join(work, 'lib/systemd/system/morsel.service'), 0o644);
  copy(join(here, 'copyright'), join(work, 'usr/share/doc/morsel/copyright'), 0o644);
  // The pages of the npm package, at the place where Debian's users look for them.
  for (const name of ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'docs', 'deploy'])
    renameSync(join(library, name), join(work, 'usr/share/doc/morsel', name));
  copy(join(library, clientPage), join(work, 'usr/share/doc/morsel', clientPage), 0o644);
  return manifest.version;
}

/** A page in the folder of the programs, to which guides link. */
const clientPage = 'packages/client/README.md';

/** The Node that `npm ci` installed. */
export function nodeProgram(): string {
  const require = createRequire(join(root, 'package.json'));
  return join(dirname(require.resolve(`node-linux-${process.arch}/package.json`)), 'bin/node');
}

function copy(from: string, to: string, mode: number): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + lstatSync(join(folder, name)).size,
    0,
  );
}

if (import.meta.main) {
  const [tarball = '', folder = ''] = process.argv.slice(2);
  if (folder === '') throw new Error('usage: node deploy/debian/build.ts NPM-PACKAGE.tgz FOLDER');
  const epoch =
    process.env['SOURCE_DATE_EPOCH'] ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  process.stdout.write(`${buildDebian(tarball, folder, epoch.trim())}\n`);
}

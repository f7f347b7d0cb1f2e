import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { buildDebian } from './debian/build.ts';
import { packClient, packMorsel } from './npm/pack.ts';

/*
 * Makes all files of a release: the npm packages, the Debian package, the list of what is in them (CycloneDX), and their hashes.
 * The same commit gives the same bytes.
 *
 *   npm run release -- FOLDER    the folder must be new or empty
 */

const root = join(import.meta.dirname, '..');

/** Makes the release, and returns the names of its files. */
export function makeRelease(folder: string, epoch: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  const work = join(folder, 'work');
  const tarballs = [packMorsel(work), packClient(work)];
  for (const tarball of tarballs) copyFileSync(tarball, join(folder, basename(tarball)));
  const names = [...tarballs, buildDebian(tarballs[0] ?? '', folder, epoch)].map((file) => basename(file));
  rmSync(work, { recursive: true });
  writeFileSync(join(folder, 'sbom.cdx.json'), sbomOf(epoch));
  const files = [...names, 'sbom.cdx.json'].toSorted((one, other) => (one < other ? -1 : 1));
  const sums = files.map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return [...files, 'SHA256SUMS'];
}

/** The list of the dependencies that users get, as npm makes it, without the values that differ from run to run. */
function sbomOf(epoch: string): string {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'];
  const text = execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  const { serialNumber: _random, metadata, ...rest }: { serialNumber: string; metadata: object } = JSON.parse(text);
  const timestamp = new Date(Number(epoch) * 1_000).toISOString();
  return `${JSON.stringify({ ...rest, metadata: { ...metadata, timestamp } }, undefined, 2)}\n`;
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: npm run release -- FOLDER');
  const epoch = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim();
  for (const name of makeRelease(resolve(folder), epoch)) process.stdout.write(`${name}\n`);
}

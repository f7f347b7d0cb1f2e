import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildDebian } from '../debian/build.ts';
import { packMorsel } from '../npm/pack.ts';
import { linksOf } from '../npm/pages.ts';
import { copyDebian } from './debian-base.ts';
import { anyPorts } from '../../packages/gateway/test/support/gateway/child.ts';
import { Place, plainEnvironment, sendAndFollow } from './installed.ts';

/* The Debian package is installed, used, upgraded, removed and purged, in a new Debian with nothing of this machine. */

const place = new Place();
const debian = join(place.path, 'debian');
const epoch = '1700000000';
const asService = ['setpriv', '--reuid=morsel', '--regid=morsel', '--init-groups'];
const env = plainEnvironment({ ...anyPorts, HOME: '/tmp' });

describe('the Debian package', () => {
  before(() => {
    copyDebian(place, debian);
    place.run('mount', ['-t', 'proc', 'proc', join(debian, 'proc')]);
    place.atEnd(() => void place.run('umount', [join(debian, 'proc')]));
  });
  after(() => place[Symbol.asyncDispose]());

  it('installs, delivers a message as the user morsel, keeps the data over an upgrade, and purges', async () => {
    const file = built('1.0.0', 'first');
    install(file);
    const { msgId } = await runDemo();
    const docs = join(debian, 'usr/share/doc/morsel');
    for (const page of readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md')))
      for (const link of linksOf(readFileSync(join(docs, page), 'utf8')))
        assert.ok(existsSync(join(docs, dirname(page), link)), `${page} links to ${link}`);
    // A second installation runs all scripts and replaces all files, as an upgrade does.
    install(file);
    assert.equal(inside(['morsel', '--version']).trim(), '1.0.0');
    const demo = startDemo();
    await demo.ready();
    assert.match(inside(['morsel', 'message', 'show', msgId], { MORSEL_DATA_DIR: '/var/lib/morsel' }), /delivered/);
    assert.equal(await demo.stop(), 0);
    inside(['dpkg', '--remove', 'morsel']);
    assert.match(inside(['ls', '/var/lib/morsel']), /operator-key/);
    inside(['dpkg', '--purge', 'morsel']);
    assert.match(
      inside(['sh', '-c', 'ls -d /var/lib/morsel /etc/morsel /usr/lib/morsel 2>&1 || true']),
      /^(ls: .*\n){3}$/,
    );
  });

  it('has the same bytes when it is built again', () => {
    const again = built('1.0.0', 'again');
    place.run('cmp', [again, join(place.path, 'first', basename(again))]);
  });
});

function install(file: string): void {
  cpSync(file, join(debian, 'tmp', basename(file)));
  inside(['dpkg', '--install', `/tmp/${basename(file)}`]);
}

/** Builds the package in a new folder. */
function built(version: string, name: string): string {
  const folder = join(place.path, name);
  mkdirSync(folder);
  return buildDebian(packMorsel(folder, version), folder, epoch);
}

function inside(words: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  return place.run('chroot', [debian, ...words], { env: { ...env, ...more } });
}

/** Starts the demo, which has a carrier, with the data directory and the user of the service. */
function startDemo() {
  return place.start('chroot', [debian, ...asService, 'morsel', 'demo', '--json'], {
    env: { ...env, MORSEL_DATA_DIR: '/var/lib/morsel' },
  });
}

async function runDemo(): Promise<{ readonly msgId: string }> {
  const demo = startDemo();
  const { httpPort, token = '' } = await demo.ready();
  const sent = await sendAndFollow(httpPort, token);
  assert.equal(sent.event, 'delivered');
  assert.equal(await demo.stop(), 0);
  return sent;
}

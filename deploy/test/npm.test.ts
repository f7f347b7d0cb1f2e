import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packClient, publication } from '../npm/pack.ts';
import { linksOf } from '../npm/pages.ts';
import { anyPorts } from '../../packages/gateway/test/support/gateway/child.ts';
import { Place, plainEnvironment, sendAndFollow } from './installed.ts';

/* The published package is installed from its tarball into an empty folder, where nothing but Node is available. */

const root = join(import.meta.dirname, '../..');
const place = new Place();
const folder = join(place.path, 'empty');
const bin = join(folder, 'node_modules/.bin');
const installed = join(folder, 'node_modules/@morsel/morsel');
const env = plainEnvironment({
  ...anyPorts,
  PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
});

describe('the npm package', () => {
  before(() => {
    // Packs as docs/install.md says. The Node of this machine is on the PATH, and may be older than 24.
    const packed = place.run('npm', ['run', '--silent', 'pack', '--', place.path], {
      cwd: root,
      env: plainEnvironment(),
    });
    const tarball = packed.trim();
    place.run('mkdir', [folder]);
    place.run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder, env });
  });
  after(() => place[Symbol.asyncDispose]());

  it('has JavaScript and schemas, and no source, test or workspace', () => {
    const names = readdirSync(join(installed, 'packages'), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => each.name);
    const endings = new Set(names.map((name) => /(?:\.test)?\.[^.]+$/.exec(name)?.[0] ?? name));
    assert.deepEqual([...endings].toSorted(), ['.css', '.html', '.js', '.json', '.md', '.sql', '.svg']);
    const scope = readdirSync(dirname(installed));
    assert.deepEqual(scope, ['morsel']);
  });

  it('has every file that its pages link to', () => {
    const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.md') && !name.startsWith('node_modules/'),
    );
    assert.ok(pages.includes('docs/install.md') && pages.includes('SECURITY.md'));
    for (const page of pages) {
      for (const link of linksOf(readFileSync(join(installed, page), 'utf8')))
        assert.ok(existsSync(join(installed, dirname(page), link)), `${page} links to ${link}`);
    }
    for (const name of ['morsel.service', 'prometheus/morsel.rules.yml', 'grafana/morsel.json'])
      assert.ok(existsSync(join(installed, 'deploy', name)), name);
  });

  it('names the publisher of package.json, and so does the package of clients', () => {
    const client = join(place.path, 'client-package');
    place.run('mkdir', [client]);
    place.run('tar', ['-xzf', packClient(place.path), '-C', client, '--strip-components=1']);
    assert.deepEqual(linksOf(readFileSync(join(client, 'README.md'), 'utf8')), []);
    for (const at of [installed, client]) {
      const manifest: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
      const publisher = Object.entries(manifest).filter(([name]) => ['homepage', 'repository', 'bugs'].includes(name));
      assert.deepEqual(Object.fromEntries(publisher), publication());
    }
  });

  it('brings its dependencies, so that nothing was downloaded', () => {
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['@morsel'],
    );
    assert.ok(readdirSync(join(installed, 'node_modules')).includes('pino'));
  });

  it('runs the demo, which delivers a message and stops', async () => {
    const demo = place.start(join(bin, 'morsel'), ['demo', '--json'], { cwd: folder, env });
    const { httpPort, token = '' } = await demo.ready();
    const { msgId, event } = await sendAndFollow(httpPort, token);
    assert.equal(event, 'delivered');
    const shown = place.run(join(bin, 'morsel'), ['message', 'show', msgId], {
      cwd: folder,
      env: { ...env, MORSEL_DATA_DIR: join(folder, 'demo-data') },
    });
    assert.match(shown, /delivered/);
    assert.equal(await demo.stop(), 0);
  });

  it('serves, with the data in the folder', async () => {
    const gateway = place.start(join(bin, 'morsel'), ['serve', '--json'], { cwd: folder, env });
    const { httpPort, adminPort } = await gateway.ready();
    const page = await fetch(`http://127.0.0.1:${adminPort}/`, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<script type="module"/);
    const openApi = await fetch(`http://127.0.0.1:${httpPort}/openapi.json`);
    assert.equal(openApi.status, 200);
    assert.match(await openApi.text(), /"\/sms\/send"/);
    place.run(join(bin, 'morsel'), ['account', 'add', 'shop', '--currency', 'EUR'], { cwd: folder, env });
    assert.equal(await gateway.stop(), 0);
    assert.ok(readdirSync(join(folder, 'data')).includes('operator-key'));
  });

  it('names its command in errors, not that of a checkout', () => {
    assert.throws(
      () => place.run(join(bin, 'morsel'), ['account', 'list'], { cwd: folder, env }),
      /start one with "morsel serve"/,
    );
  });

  it('says which Node it needs when it runs on an older one', (t) => {
    const older = ['/usr/local/bin/node', '/usr/bin/node'].find((each) => /^v(1\d|2[0-3])\./.test(versionOf(each)));
    if (older === undefined) return t.skip('no Node older than 24 is installed');
    const path = join(place.path, 'older');
    place.run('mkdir', [path]);
    symlinkSync(older, join(path, 'node'));
    assert.throws(
      () => place.run(join(bin, 'morsel'), ['serve'], { cwd: folder, env: { ...env, PATH: `${path}:/usr/bin:/bin` } }),
      /ended with 2: morsel: this is Node \d+\.\d+\.\d+, but morsel needs Node 24 or newer: install it/,
    );
  });
});

function versionOf(node: string): string {
  try {
    return place.run(node, ['--version']);
  } catch {
    return '';
  }
}

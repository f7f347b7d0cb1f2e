import assert from 'node:assert/strict';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { settings } from '@morsel/gateway/config.ts';
import { nodeProgram } from '../debian/build.ts';
import { copyDebian } from './debian-base.ts';
import { Place } from './installed.ts';

/*
 * The image and the compose file. Podman, which needs no daemon, builds the Dockerfile and runs the image as the
 * compose file says. The base image is made here, from Debian, Node 24 and npm, so that the test needs no registry of
 * images.
 */

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'deploy/docker');
const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base);

interface Service {
  readonly image?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: { readonly [name: string]: string };
}

const { services }: { readonly services: { readonly [name: string]: Service } } = parse(
  readFileSync(join(folder, 'compose.yml'), 'utf8'),
);
const gateway = services['morsel'] ?? {};

describe('the image', () => {
  const place = new Place();
  // The certificates that this machine trusts, for npm in the image.
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  const storage = [
    '--root',
    join(place.path, 'images'),
    '--runroot',
    join(place.path, 'run'),
    '--storage-driver',
    'vfs',
  ];
  const podman = (...words: readonly string[]) => place.run('podman', [...storage, '--runtime', 'runc', ...words]);
  /** Runs a command of docs/install.md in the container. */
  const inside = (...words: readonly string[]) => podman('exec', 'gateway', ...words);

  before(() => {
    const base = join(place.path, 'base');
    copyDebian(place, base);
    for (const path of ['usr/local/bin', 'usr/local/lib/node_modules', dirname(certificates).slice(1)])
      mkdirSync(join(base, path), { recursive: true });
    copyFileSync(nodeProgram(), join(base, 'usr/local/bin/node'));
    cpSync(npmFolder(), join(base, 'usr/local/lib/node_modules/npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'));
    if (existsSync(certificates)) copyFileSync(certificates, join(base, certificates));
    place.run('tar', ['-C', base, '-cf', `${base}.tar`, '.']);
    podman(
      'import',
      '--quiet',
      '--change',
      `ENV=NODE_EXTRA_CA_CERTS=${certificates}`,
      `${base}.tar`,
      `docker.io/library/${bases[0]}`,
    );
    const steps = [
      '--isolation',
      'chroot',
      '--network',
      'host',
      '--format',
      'docker',
      '--layers=false',
      '--pull=never',
    ];
    podman('build', '--quiet', ...steps, '--file', join(folder, 'Dockerfile'), '--tag', 'morsel', root);
  });
  after(async () => {
    podman('rm', '--force', '--all');
    await place[Symbol.asyncDispose]();
  });

  it('runs as the compose file says: healthy, with the console, and a message is delivered', async () => {
    const { read_only, cap_drop = [], security_opt = [], tmpfs = [], volumes = [], environment = {} } = gateway;
    const options = [
      ...(read_only === true ? ['--read-only'] : []),
      ...cap_drop.flatMap((each) => ['--cap-drop', each]),
      ...security_opt.flatMap((each) => ['--security-opt', each]),
      ...tmpfs.flatMap((each) => ['--tmpfs', each]),
      ...volumes.flatMap((each) => ['--volume', each]),
      ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      // A machine for tests may not be allowed to raise these limits to the usual values.
      '--ulimit=nofile=4096:4096',
      '--ulimit=nproc=1000:1000',
      // The container has its own network, so that the gateway can use its usual ports.
      '--network=none',
    ];
    const words = [...options, '--name', 'gateway', 'localhost/morsel', 'demo', '--json'];
    const container = place.start('podman', [...storage, '--runtime', 'runc', 'run', ...words]);
    const { token = '' } = await container.ready();
    podman('healthcheck', 'run', 'gateway');
    assert.equal(inside('node', '-e', sendAndFollow, token).trim(), 'delivered');
    // A connection to a published port comes from outside of the container, so not to 127.0.0.1.
    assert.ok(gateway.ports?.includes('127.0.0.1:8081:8081'));
    assert.match(inside('node', '-e', readPage, 'http://127.0.0.2:8081/'), /<script type="module"/);
    assert.equal(inside('id', '--user', '--name').trim(), 'morsel');
    inside('morsel', 'operator', 'add', 'prometheus', '--role', 'viewer');
    assert.match(inside('morsel', 'operator-key', 'add', 'prometheus'), /morselop_/);
    podman('stop', '--time', '30', 'gateway');
    assert.equal(await container.ended, 0);
  });

  it('has a valid Dockerfile, with one version of Node and with settings that exist', () => {
    assert.deepEqual(validate(dockerfile), []);
    assert.equal(new Set(bases).size, 1);
    for (const base of bases) assert.match(base, /^node:24\.\d+-/);
    for (const [name] of dockerfile.matchAll(/MORSEL_\w+/g)) assert.ok(name in settings, name);
  });
});

it('the compose file names files, settings and versions that exist', () => {
  // The operator makes this file, so it need not exist.
  const made = './morsel-key';
  for (const [name, { image = '', volumes = [], environment = {} }] of Object.entries(services)) {
    if (name !== 'morsel') assert.match(image, /:v?\d+\.\d+\.\d+$/);
    for (const volume of volumes) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('.') && from !== made) assert.ok(existsSync(join(folder, from)), from);
    }
    for (const each of Object.keys(environment)) assert.ok(each in settings, each);
  }
});

/** Programs that run in the container. */
const readPage = `fetch(process.argv[1], { headers: { accept: 'text/html' } }).then(async (page) => console.log(await page.text()))`;
const sendAndFollow = `
  const [, token] = process.argv;
  const body = JSON.stringify({ auth: token, sender: 'Morsel', receiver: '+41791112233', text: 'Hello', dcs: 'SMS' });
  const base = 'http://127.0.0.1:8080/sms';
  const { msgId } = await (await fetch(base + '/send', { method: 'POST', body })).json();
  const until = Date.now() + 30_000;
  let event = '';
  while (event !== 'delivered' && Date.now() < until)
    ({ event } = await (await fetch(base + '/dlr?auth=' + token + '&messageId=' + msgId)).json());
  console.log(event);`;

/** The folder of the npm that runs here. */
function npmFolder(): string {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((each) => join(each, 'npm'));
  const npm = found.find((each) => existsSync(each));
  if (npm === undefined) throw new Error('there is no npm on the PATH');
  return dirname(dirname(realpathSync(npm)));
}

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { settings } from '@morsel/gateway/config.ts';

/* The image and the compose file. No container engine runs here, so they are compared with what they name. */

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'deploy/docker');
const file = readFileSync(join(folder, 'Dockerfile'), 'utf8');

interface Service {
  readonly image?: string;
  readonly read_only?: boolean;
  readonly volumes?: readonly string[];
  readonly environment?: { readonly [name: string]: string };
}

describe('the image', () => {
  it('has a Dockerfile without a fault', () => {
    assert.deepEqual(validate(file), []);
  });

  it('copies what exists, runs as another user than root, and says how it is', () => {
    for (const [, source = ''] of file.matchAll(/^COPY (\S+) \S+$/gm))
      assert.ok(existsSync(join(root, source)), source);
    const users = [...file.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
    assert.deepEqual(users, ['morsel']);
    assert.match(file, /^HEALTHCHECK /m);
    const bases = [...file.matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base);
    assert.equal(new Set(bases).size, 1);
    for (const base of bases) assert.match(base, /^node:24\.\d+-/);
    for (const [name] of file.matchAll(/MORSEL_\w+/g)) assert.ok(name in settings, name);
  });
});

it('the compose file names files, settings and versions that exist', () => {
  const { services }: { readonly services: { readonly [name: string]: Service } } = parse(
    readFileSync(join(folder, 'compose.yml'), 'utf8'),
  );
  assert.equal(services['morsel']?.read_only, true);
  // The operator makes it.
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

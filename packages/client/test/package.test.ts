import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Tour } from '../../gateway/test/support/gateway/tour.ts';
import { Folder } from './installed.ts';

/* The published package: packed as npm packs it, and installed from there into an empty folder. */

const source = join(import.meta.dirname, '..');
const root = join(source, '../..');
const folder = new Folder();
const installed = join(folder.path, 'node_modules/@morsel/client');

describe('the published package', () => {
  before(() => {
    writeFileSync(join(folder.path, 'package.json'), '{"private":true}');
    folder.run('npm', ['pack', '--silent', '--pack-destination', folder.path], { cwd: copyOf(source) });
    const tarball = readdirSync(folder.path).find((name) => name.endsWith('.tgz'));
    assert.ok(tarball);
    folder.run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`]);
  });
  after(() => folder[Symbol.asyncDispose]());

  it('has its code, its types, its documents, and nothing else', () => {
    const names = readdirSync(installed, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll('\\', '/'),
    );
    const others = names.filter((name) => !/^dist\/[a-z-]+(\.d\.ts|\.js)$/.test(name));
    assert.deepEqual(others.toSorted(), ['LICENSE', 'README.md', 'dist', 'package.json']);
    assert.equal(readFileSync(join(installed, 'LICENSE'), 'utf8'), readFileSync(join(root, 'LICENSE'), 'utf8'));
    for (const name of ['dist/index.js', 'dist/index.d.ts']) assert.ok(names.includes(name), name);
    assert.ok(!names.some((name) => name.includes('.test.')));
  });

  it('has no dependencies', () => {
    const manifest: Readonly<Record<string, unknown>> = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    );
    for (const name of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      assert.equal(manifest[name], undefined);
    assert.equal(manifest['sideEffects'], false);
    assert.deepEqual(
      readdirSync(join(folder.path, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['@morsel'],
    );
    assert.deepEqual(readdirSync(join(folder.path, 'node_modules/@morsel')), ['client']);
  });

  it('imports only its own files and uses no global of Node', () => {
    for (const name of readdirSync(join(installed, 'dist')).filter((each) => /\.(js|d\.ts)$/.test(each))) {
      const code = readFileSync(join(installed, 'dist', name), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');
      for (const [, path = ''] of code.matchAll(/(?:from|import) *\(?['"]([^'"]+)['"]/g))
        assert.match(path, /^\.\/[a-z-]+\.js$/);
      assert.doesNotMatch(code, /\b(Buffer|process|require|global|setImmediate|__dirname)\b|node:|import\(/, name);
    }
  });

  it('sends a message from plain JavaScript, and ends then', async () => {
    await using tour = await Tour.open();
    writeFileSync(
      join(folder.path, 'plain.mjs'),
      `import { Morsel } from '@morsel/client';
       const morsel = new Morsel({ baseUrl: process.argv[2], token: process.argv[3] });
       const { msgId, exact } = await morsel.send({ sender: 'SHOP', receiver: '+41791230001', text: 'Hello' });
       const { event } = await morsel.waitForFinal(msgId, { lookEveryMs: 20 });
       console.log(JSON.stringify([event, exact]));`,
    );
    const program = folder.start(['plain.mjs', `http://127.0.0.1:${tour.gateway.httpPort}`, tour.token], {});
    assert.equal(await program.ended, 0, program.errors);
    assert.deepEqual(JSON.parse(program.out), ['delivered', { totalCost: '0.0075', clientBalance: '99.9925' }]);
  });

  it('can be used from CommonJS by import()', () => {
    const code = `import('@morsel/client').then(({ Morsel, Webhook }) => console.log(typeof Morsel, typeof Webhook))`;
    assert.equal(folder.run(process.execPath, ['--input-type=commonjs', '-e', code]), 'function function\n');
  });

  const consumers = [
    ['a browser', { lib: ['es2022', 'dom'], types: [] }, 'globalThis.fetch'],
    ['Node', { lib: ['es2022'], types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }, 'globalThis.fetch'],
  ] as const;
  for (const [where, options, fetch] of consumers) {
    it(`has types that hold in a strict program for ${where}`, () => {
      writeFileSync(join(folder.path, 'typed.mts'), typed(fetch));
      const compilerOptions = {
        module: 'nodenext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        ...options,
      };
      writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.mts'] }));
      folder.run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder.path]);
    });
  }

  it('has the types of the contract', () => {
    writeFileSync(join(folder.path, 'contract.mts'), sameAsContract(join(installed, 'dist/contract.js')));
    symlinkSync(join(root, 'node_modules/@morsel/api'), join(folder.path, 'node_modules/@morsel/api'));
    const files = [join(folder.path, 'contract.mts')];
    const options = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
    };
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify({ ...options, files, include: [] }));
    folder.run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder.path]);
  });
});

/** A program that the compiler refuses if a type of the published contract is not the contract's. */
function sameAsContract(published: string): string {
  const names = readFileSync(published.replace(/js$/, 'd.ts'), 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm);
  const lines = [...names].map(
    ([, name = '']) =>
      `export const to${name} = (value: api.${name}): published.${name} => value;\n` +
      `export const from${name} = (value: Writable<published.${name}>): api.${name} => value;`,
  );
  assert.ok(lines.length > 9);
  return [
    `import type * as api from '@morsel/api';\nimport type * as published from '${published}';`,
    'type Writable<T> = T extends object ? { -readonly [Name in keyof T]: Writable<T[Name]> } : T;',
    ...lines,
  ].join('\n');
}

/** A copy of the package in its own folder: packing builds it, and other tests read the files of this one meanwhile. */
function copyOf(from: string): string {
  const repository = join(folder.path, 'repository');
  const copy = join(repository, 'packages/client');
  mkdirSync(copy, { recursive: true });
  for (const name of ['tsconfig.json', 'LICENSE']) copyFileSync(join(root, name), join(repository, name));
  symlinkSync(join(root, 'node_modules'), join(repository, 'node_modules'));
  for (const name of ['package.json', 'README.md', 'build.ts', 'tsconfig.build.json', 'src', 'test']) {
    cpSync(join(from, name), join(copy, name), { recursive: true });
  }
  return copy;
}

/** Uses the types as a program would, and marks what must be an error. */
function typed(fetch: string): string {
  return `
    import { isFinal, Morsel, MorselError, Webhook } from '@morsel/client';
    import type { Notice } from '@morsel/client';

    const morsel = new Morsel({ baseUrl: 'https://sms.example.com', token: 't', fetch: ${fetch} });
    const sent = await morsel.send({ sender: 'SHOP', receiver: '+41791230001', text: 'x' }, { signal: new AbortController().signal });
    const currency: string | undefined = sent.clientCurrency;
    const digits: string = sent.exact.totalCost;
    const { event } = await morsel.dlr(sent.msgId);
    if (event === 'delivered' || event === 'a word of another year') console.log(currency, digits);
    const outcome: 'delivered' | 'undelivered' | 'rejected' | 'expired' | 'unknown' | 'canceled' | undefined = isFinal(event) ? event : undefined;

    // @ts-expect-error -- a message has a text
    void morsel.send({ sender: 'SHOP', receiver: '+41791230001' });
    // @ts-expect-error -- nobody encodes so
    void morsel.send({ sender: 'SHOP', receiver: '+41791230001', text: 'x', dcs: 'LATIN' });

    export async function handle(request: Request): Promise<string> {
      const { notice } = await new Webhook({ secrets: 'whsec_AAAA' }).verifyRequest(request);
      return told(notice);
    }
    function told(notice: Notice): string {
      switch (notice.type) {
        case 'inbound': return notice.text;
        case 'receipt': return notice.event;
        case 'alert': return notice.exact.clientBalance ?? notice.alert;
        case 'unknown': return notice.named ?? '';
      }
    }
    const error: unknown = outcome;
    if (error instanceof MorselError && error.code === 'insufficient_balance') console.log(error.problem?.exact.totalCost);
  `;
}

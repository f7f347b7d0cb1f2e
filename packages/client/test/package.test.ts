import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Webhook as Oracle } from 'standardwebhooks';
import { sharedGateway } from '../../gateway/test/support/gateway/tour.ts';
import { waitUntil } from '../../gateway/test/support/wait-until.ts';
import { Folder } from './installed.ts';

/*
 * The published package: npm packs it, and installs it into an empty folder. There the README's examples run unchanged,
 * each as a program of its own, with a running gateway.
 */

const source = join(import.meta.dirname, '..');
const root = join(source, '../..');
const folder = new Folder();
const installed = join(folder.path, 'node_modules/@morsel/client');

const readme = readFileSync(join(source, 'README.md'), 'utf8');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const guest = sharedGateway();

/** The examples by the name in their first line. */
const examples = new Map(
  [...readme.matchAll(/^```js\n\/\/ ([^\n]+)\n(.*?)^```$/gms)].map(([, name = '', code = '']) => [name, code]),
);

before(() => {
  writeFileSync(join(folder.path, 'package.json'), '{"private":true}');
  folder.run('npm', ['pack', '--silent', '--pack-destination', folder.path], { cwd: copyOf(source) });
  const tarball = readdirSync(folder.path).find((name) => name.endsWith('.tgz'));
  assert.ok(tarball);
  folder.run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`]);
});
after(() => folder[Symbol.asyncDispose]());

describe('the published package', () => {
  it('contains only its code, its types and its documents', () => {
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

  it('can be used from CommonJS by import()', () => {
    const code = `import('@morsel/client').then(({ Morsel, Webhook }) => console.log(typeof Morsel, typeof Webhook))`;
    assert.equal(folder.run(process.execPath, ['--input-type=commonjs', '-e', code]), 'function function\n');
  });

  const consumers = [
    ['a browser', { lib: ['es2022', 'dom'], types: [] }, 'globalThis.fetch'],
    ['Node', { lib: ['es2022'], types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }, 'globalThis.fetch'],
  ] as const;
  for (const [where, options, fetch] of consumers) {
    it(`has types that compile in a strict program for ${where}`, () => {
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
});

describe('an example of the README', { concurrency: true }, () => {
  before(() => {
    const express = dirname(createRequire(import.meta.url).resolve('express/package.json'));
    symlinkSync(express, join(folder.path, 'node_modules/express'));
  });

  const programs = ['send', 'follow', 'cost', 'retries', 'errors', 'browser'];
  const webhooks = [
    'webhook with node:http',
    'webhook with express',
    'webhook with Request',
    'webhook with names of your own',
  ];

  it('is always run by a test', () => {
    assert.deepEqual([...examples.keys()], [...programs, ...webhooks]);
    assert.equal(readme.match(/^```js$/gm)?.length, examples.size);
  });

  for (const name of programs) {
    it(`prints what the README says: ${name}`, async () => {
      await using tour = await guest({ simulator: { receiptDelayMs: 500 } });
      const baseUrl = `http://127.0.0.1:${tour.gateway.httpPort}`;
      const program = folder.start(['--import', page(baseUrl, tour.token), fileOf(name)], {
        MORSEL_URL: baseUrl,
        MORSEL_TOKEN: tour.token,
      });
      assert.equal(await program.ended, 0, program.errors);
      const expected = expectedOf(name);
      assert.ok(expected.length > 0);
      assert.deepEqual(plain(program.out.trimEnd().split('\n')), plain(expected));
    });
  }

  it('answers and prints: webhook with node:http', async () => {
    const site = await Site.open('webhook with node:http');
    const receipt = { type: 'receipt', msgId: '1', event: 'delivered', numParts: 1, sendTime: 's', dlrTime: 'd' };
    const alert = {
      type: 'alert',
      alert: 'low-balance',
      threshold: 10,
      clientBalance: 9.5,
      clientCurrency: 'EUR',
      time: 't',
    };
    assert.equal(await site.post(JSON.stringify(inbound)), 204);
    assert.equal(await site.post(JSON.stringify(inbound)), 204, 'the same again');
    assert.equal(
      await site.post(new URLSearchParams({ ...inbound, numParts: '1', complete: 'true' }).toString(), 'form'),
      204,
    );
    assert.equal(await site.post(JSON.stringify(receipt), 'receipt'), 204);
    assert.equal(await site.post(JSON.stringify(alert), 'alert'), 204);
    assert.equal(await site.get(new URLSearchParams({ ...inbound, numParts: '1', complete: 'true' }).toString()), 204);
    assert.equal(await site.post(JSON.stringify(inbound), 'forged', secret.replace('B', 'C')), 400);
    assert.equal(await site.post('x'.repeat(2_000_000), 'huge'), 400);
    const writes = '+41791230001 writes Grüezi';
    assert.deepEqual(site.lines(), [writes, writes, '1 is delivered', 'low-balance: 9.5', writes]);
  });

  it('answers and prints: webhook with express', async () => {
    const site = await Site.open('webhook with express');
    assert.equal(await site.post(JSON.stringify(inbound)), 204);
    assert.equal(await site.post(JSON.stringify(inbound), 'forged', secret.replace('B', 'C')), 400);
    assert.deepEqual(site.lines(), ['+41791230001 writes Grüezi']);
  });

  it('answers: webhook with Request', async () => {
    process.env['WEBHOOK_SECRET'] = secret;
    const module: { handle: (request: Request) => Promise<Response> } = await import(
      pathToFileURL(join(folder.path, fileOf('webhook with Request'))).href
    );
    const body = JSON.stringify(inbound);
    const url = 'https://shop.example.com/sms';
    const believed = await module.handle(new Request(url, { method: 'POST', headers: signed(body), body }));
    const forged = await module.handle(new Request(url, { method: 'POST', headers: signed(`${body} `), body }));
    const query = new URLSearchParams({ ...inbound, numParts: '1', complete: 'true' }).toString();
    const got = await module.handle(new Request(`${url}?${query}`, { headers: signed(query) }));
    assert.deepEqual([believed.status, forged.status, got.status], [204, 400, 204]);
  });

  it('reads its own fields: webhook with names of your own', async () => {
    process.env['WEBHOOK_SECRET'] = secret;
    const module: { take: (headers: Record<string, string>, payload: string) => Promise<string> } = await import(
      pathToFileURL(join(folder.path, fileOf('webhook with names of your own'))).href
    );
    const body = '{"from":"+41791230001","message":"Grüezi"}';
    assert.match(await module.take(signed(body), body), /^\+41791230001 writes Grüezi \(msg_1, 20\d\d-.*Z\)$/);
    await assert.rejects(module.take(signed(body), `${body} `), { name: 'WebhookError', code: 'bad_signature' });
  });
});

/** Copies the package, because packing builds it, and other tests read the files of the original meanwhile. */
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

/** A program that uses the types, and marks the lines that the compiler must refuse. */
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

const inbound = {
  type: 'inbound',
  msgId: '1021343289970688',
  sender: '+41791230001',
  receiver: '+41790000001',
  text: 'Grüezi',
  dcs: 'GSM',
  numParts: 1,
  receivedTime: '2026-01-02T03:04:05Z',
  complete: true,
} as const;

function signed(payload: string, id = 'msg_1', by = secret): Record<string, string> {
  const time = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': new Oracle(by).sign(id, time, payload),
  };
}

/** Writes an example into a file. Returns its name. */
function fileOf(name: string): string {
  const file = `${name.replaceAll(/[^a-z]+/gi, '-')}.mjs`;
  writeFileSync(join(folder.path, file), examples.get(name) ?? assert.fail(`there is no example ${name}`));
  return file;
}

/** The lines that an example prints: its comments at the start of a line, without code directly below. */
function expectedOf(name: string): string[] {
  return [...(examples.get(name) ?? '').matchAll(/^\/\/ (.+)\n(?=\n|$(?![^]))/gm)].map(([, text = '']) => text);
}

/** Makes printed lines comparable: ids differ each time, and a message may still be on its way to the carrier. */
function plain(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/\b\d{16}\b/g, '<id>').replace(/^queued\b/, 'sent'));
}

/** Replaces the placeholders of the README by values for a program. */
function page(origin: string, token: string): string {
  const code = `globalThis.location = { origin: ${JSON.stringify(origin)} };
    Object.defineProperty(globalThis, 'sessionStorage', { value: { getItem: () => ${JSON.stringify(token)} } });`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** A webhook example of the README, as a program that listens. */
class Site {
  readonly #url: string;
  readonly #program: ReturnType<Folder['start']>;

  private constructor(url: string, program: ReturnType<Folder['start']>) {
    this.#url = url;
    this.#program = program;
  }

  static async open(name: string): Promise<Site> {
    const port = await freePort();
    const program = folder.start([fileOf(name)], { PORT: String(port), WEBHOOK_SECRET: secret });
    const site = new Site(`http://127.0.0.1:${port}/sms`, program);
    await waitUntil(
      () => `${name} listens: ${program.errors}`,
      () =>
        fetch(site.#url).then(
          () => true,
          () => false,
        ),
    );
    return site;
  }

  async post(body: string, id = 'msg_1', by = secret): Promise<number> {
    const headers = { 'Content-Type': 'application/json', ...signed(body, id, by) };
    return (await fetch(this.#url, { method: 'POST', headers, body })).status;
  }

  async get(query: string): Promise<number> {
    return (await fetch(`${this.#url}?${query}`, { headers: signed(query, 'msg_get') })).status;
  }

  lines(): string[] {
    return this.#program.out.trimEnd().split('\n');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

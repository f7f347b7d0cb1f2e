import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { folder, morsel, running } from '../support/gateway/morsel.ts';

/*
 * The commands of the README and of docs/, pasted one after the other, as a reader would. First the README, in a shell
 * and an empty folder: it starts carrier and gateway, and every page uses its account and carrier. Then the pages in the
 * order of the README and, with EVERY_ORDER=1, in the opposite order. A page that needs or breaks another fails in one
 * order. Blocks without a language are pasted here; blocks with the language `sh` are for other machines.
 */

const root = join(import.meta.dirname, '../../../..');
const guides = [
  'http',
  'money',
  'carriers',
  'limits',
  'inbound',
  'webhooks',
  'smpp',
  'console',
  'operating',
  'monitoring',
  'nodes',
  'privacy',
];

/** Files of the reader that commands of the pages name. The README needs no such files. */
const files = {
  'other.password': 'secret\n',
  'mail.password': 'secret\n',
  'prices.csv': '41,0.0075\n4179,0.008\n',
  'acme-costs.csv': '41,0.004\n',
  'invoice.csv': 'message_id,amount\n',
  'stops.csv': 'receiver\n+41791234500\n',
};

/** The limit for the README's commands, which need some 10 s. */
const scriptMaxMs = 120_000;

const command = 'npm run -s morsel -- ';
/** Matches a command with environment variables before it: it is for a gateway other than the reader's. */
const ofAnother = /^((?:MORSEL_\w+=\S+ )+)(npm run -s morsel -- .*)$/;
/** Matches commands that run until they are stopped: other tests run these. */
const goesOn = /^npm run -s morsel -- (?:serve|listen|simulate)\b/;
/** Matches the README's two commands that .ci/run runs in a clone. */
const installs = /^npm ci && npm (?:start|test)$/;
/** Commands that are refused here, because they are for situations that do not arise, and their refusals. */
const refusedHere: readonly (readonly [RegExp, RegExp])[] = [
  [/ message cancel <msgId>/, /can be canceled (?:any more|now)/],
  [/^curl .*\/sms\/cancel/, /too_late/],
  [/ message settle /, /in doubt/],
  // The applied file is an unchanged export, so there is no change to roll back.
  [/ config rollback /, /no file of settings was applied yet/],
];

interface Outcome {
  readonly status: number | null;
  readonly out: string;
}

const orders = [
  ['in the order of the README', guides],
  ...(process.env['EVERY_ORDER'] === '1' ? [['in the opposite order', guides.toReversed()] as const] : []),
] as const;

/** The reader's website, which takes every webhook. */
const website = createServer((_request, response) => response.end());

describe('the commands of the documentation work when pasted', () => {
  before(() => once(website.listen(0, '127.0.0.1'), 'listening'));
  const place = process.cwd();
  after(() => {
    process.chdir(place);
    website.close();
  });

  for (const [order, pages] of orders) {
    it(order, async (test) => {
      const reader = new Reader(join(folder, order.replaceAll(' ', '-')));
      await test.test('README', () => reader.start());
      const made = { ...reader.known };
      for (const page of pages) {
        // A reader of this page does not have the values that another page showed.
        reader.known = { ...made };
        await test.test(page, () => reader.paste(`docs/${page}`));
      }
    });
  }

  it('on every page', () => {
    const there = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
    // deploy/test runs the commands of two pages, because they need a whole machine. Two have none to paste.
    const others = ['install', 'promises', 'releasing', 'scale'];
    assert.deepEqual(there.toSorted(), [...guides, ...others].map((name) => `${name}.md`).toSorted());
  });
});

/** A reader with a gateway, a carrier and a website, who pastes the commands. */
class Reader {
  /** The values for the placeholders. */
  known = { token: '', msgId: '' };
  readonly #folder: string;
  readonly #dataDir: string;
  #ports = { gateway: '', carrier: '', website: '' };

  constructor(at: string) {
    this.#folder = at;
    this.#dataDir = join(at, 'data');
  }

  /** Pastes the README into three terminals, up to the delivered message. */
  async start(): Promise<void> {
    mkdirSync(this.#folder);
    process.chdir(this.#folder);
    const scripts = { morsel: `exec ${process.execPath} ${join(root, 'packages/cli/src/morsel.ts')}` };
    writeFileSync('package.json', JSON.stringify({ scripts }));
    const readme = commandsOf(readFileSync(join(root, 'README.md'), 'utf8'));
    const [simulate = '', serve = '', ...rest] = readme.filter((line) => !installs.test(line));
    assert.match(simulate, /^npm run -s morsel -- simulate --port 2776$/);
    assert.match(serve, /^npm run -s morsel -- serve$/);
    const carrier = await running(['simulate', '--port', '0']);
    const gateway = await running(['serve'], { environment: { MORSEL_DATA_DIR: this.#dataDir } });
    const ports = { gateway: String(gateway.ready['httpPort']), carrier: String(carrier.ready['port']) };
    const report = rest.find((line) => line.includes('/sms/dlr')) ?? '';
    // A busy machine may need longer than the README's `sleep 1`. `set -e` ends the script at the first failure.
    const lines = rest.map((line) =>
      line === 'sleep 1' ? `until ${report} | grep delivered; do sleep 0.1; done` : line,
    );
    const script = ['set -ev', ...lines, 'echo "$TOKEN $MSGID"']
      .join('\n')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.gateway}`)
      .replace('--port 2776', `--port ${ports.carrier}`);
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { timeout: scriptMaxMs });
    assert.match(stdout, /"event":"delivered"/);
    const [token = '', msgId = ''] = stdout.trimEnd().split('\n').at(-1)?.split(' ') ?? [];
    this.known = { token, msgId };
    const address = website.address();
    assert.ok(address !== null && typeof address === 'object');
    this.#ports = { ...ports, website: String(address.port) };
    for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
  }

  /** Pastes each command of a page; all of them must succeed. */
  async paste(page: string): Promise<void> {
    for (const line of commandsOf(readFileSync(join(root, `${page}.md`), 'utf8'))) {
      if (goesOn.test(line)) continue;
      assert.match(line, pasted, `${page}: this test cannot run ${line}`);
      const { status, out } = await this.#run(line);
      const refusal = refusedHere.find(([pattern]) => pattern.test(line))?.[1];
      assert.equal(status, refusal ? 1 : 0, `${page}: ${line}\n${out}`);
      if (refusal) assert.match(out, refusal, line);
    }
  }

  async #run(line: string): Promise<Outcome> {
    if (line.startsWith('cp -r ')) return copyFolder(wordsOf(line));
    const another = ofAnother.exec(line);
    if (another) return this.#ofAnother(another[1] ?? '', another[2] ?? '');
    const here = line
      .replace(/smpp\.example\.(?:com|net) --port 2775/, `127.0.0.1 --port ${this.#ports.carrier}`)
      .replace('http://127.0.0.1:8080', `http://127.0.0.1:${this.#ports.gateway}`)
      .replace(/https:\/\/example\.com(\S*)/, `http://127.0.0.1:${this.#ports.website}$1 --allow 127.0.0.0/8`)
      .replaceAll('<token>', this.known.token)
      .replaceAll('<msgId>', this.known.msgId);
    const done = here.startsWith('curl ') ? await curl(here) : await this.#morsel(here.slice(command.length));
    this.known.msgId = /"msgId":"(\d+)"/.exec(done.out)?.[1] ?? this.known.msgId;
    return done;
  }

  async #morsel(words: string, dataDir = this.#dataDir): Promise<Outcome> {
    const { status, out, errors } = await morsel(wordsOf(words), { dataDir });
    return { status, out: out + errors };
  }

  /** Runs a command for a gateway other than the reader's. A gateway that it starts runs until the end of the tests. */
  async #ofAnother(assignments: string, line: string): Promise<Outcome> {
    const environment = Object.fromEntries(
      assignments
        .trim()
        .split(' ')
        .map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
    );
    if (!goesOn.test(line)) return this.#morsel(line.slice(command.length), environment['MORSEL_DATA_DIR']);
    const { ready } = await running(wordsOf(line.slice(command.length)), { environment });
    return { status: 0, out: JSON.stringify(ready) };
  }
}

const pasted = /^(?:(?:MORSEL_\w+=\S+ )*npm run -s morsel|curl|cp -r) /;

/** The commands in the blocks of a page, without comments, and with their continued lines joined. */
function commandsOf(page: string): readonly string[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .flatMap(([, language, block = '']) => (language === '' ? [block] : []))
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/ {2,}#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The words of a line as a shell divides them, if quotes are only at the beginning of a word. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** Does the same as curl with these options. */
async function curl(line: string): Promise<Outcome> {
  const [, ...words] = wordsOf(line);
  const given = (option: string) => words.flatMap((word, at) => (words[at - 1] === option ? [word] : []));
  const [body] = given('-d');
  const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' });
  for (const header of given('-H'))
    headers.set(header.slice(0, header.indexOf(':')), header.slice(header.indexOf(':') + 1));
  const url = words.find((word) => word.startsWith('http://')) ?? '';
  const answer = await fetch(url, { headers, ...(body !== undefined && { method: 'POST', body }) });
  return { status: answer.ok ? 0 : 1, out: await answer.text() };
}

/** Does the same as `cp -r` with a folder. */
function copyFolder([, , from = '', to = '']: readonly string[]): Outcome {
  cpSync(from, to, { recursive: true });
  return { status: 0, out: '' };
}

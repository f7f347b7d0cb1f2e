import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { backup, DatabaseSync } from 'node:sqlite';
import { anyPorts, bound, dataDir, folder, morsel, running } from './morsel.ts';
import type { Running } from './morsel.ts';

/*
 * The commands of the README and of docs/, pasted one after the other, as a reader would: against a gateway and a carrier that
 * run. Page by page in the order of the README, as each goes on with the account and the carrier that stand there.
 */

const root = join(import.meta.dirname, '../../..');
const guides = ['http', 'money', 'carriers', 'limits', 'phones', 'webhooks', 'smpp', 'operating', 'price-files'];
const pages = ['README', ...guides.map((name) => `docs/${name}`)];

/** Files that the commands name. */
const files = {
  'acme.password': 'secret\n',
  'prices.csv': '41,0.0075\n4179,0.008\n',
  'acme-costs.csv': '41,0.004\n',
  'stops.csv': 'receiver\n+41791234500\n',
};

const command = 'npm run -s morsel -- ';
/** What goes on until it is stopped: other tests look at these. */
const goesOn = /^npm run -s morsel -- (?:serve|listen)\b/;
/** What is refused here, where everything went well, and why. */
const refusedHere: readonly (readonly [RegExp, RegExp])[] = [
  [/ message cancel /, /can be canceled any more/],
  [/^curl .*\/sms\/cancel/, /too_late/],
  [/ message settle /, /in doubt/],
];

let gateway: Running;
let carrier: Running;
let receiver: Server;
let receiverPort = 0;
let token = '';
let msgId = '';
const pasted = new Set<string>();

before(async () => {
  process.chdir(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
  carrier = await running(['simulate', '--port', '0']);
  gateway = await running(['serve'], anyPorts);
  receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  receiverPort = address !== null && typeof address === 'object' ? address.port : 0;
  // The second carrier that some examples have.
  await paste(
    `${command}carrier add other --host smpp.example.com --port 2775 --system-id me --password-file ./acme.password`,
  );
});
after(() => receiver.close());

describe('what the documentation shows works when it is pasted', () => {
  for (const page of pages) {
    it(page, async () => {
      for (const line of commandsOf(readFileSync(join(root, `${page}.md`), 'utf8'))) {
        if (pasted.has(line) || goesOn.test(line)) continue;
        pasted.add(line);
        const { status, out } = await paste(line);
        const refusal = refusedHere.find(([pattern]) => pattern.test(line))?.[1];
        assert.equal(status, refusal ? 1 : 0, `${page}: ${line}\n${out}`);
        if (refusal) assert.match(out, refusal, line);
        if (line.includes(' carrier add ')) await bound('acme');
      }
    });
  }

  it('on every page that there is', () => {
    const there = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
    assert.deepEqual(there.toSorted(), guides.map((name) => `${name}.md`).toSorted());
  });
});

/** The lines of the blocks of a page that are commands: without what is said beside them, and each whole. */
function commandsOf(page: string): readonly string[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .flatMap(([, language, block = '']) => (language === '' ? [block] : []))
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/ {2,}#.*$/, '').trim())
    .filter((line) => /^(?:npm run -s morsel|curl|sqlite3) /.test(line));
}

async function paste(line: string): Promise<{ readonly status: number | null; readonly out: string }> {
  const here = line
    .replace('smpp.example.com --port 2775', `127.0.0.1 --port ${String(carrier.ready['port'])}`)
    .replace('http://127.0.0.1:8080', `http://127.0.0.1:${String(gateway.ready['httpPort'])}`)
    .replace(/https:\/\/example\.com(\S*)/, `http://127.0.0.1:${receiverPort}$1 --allow 127.0.0.0/8`)
    .replaceAll('<token>', token)
    .replaceAll('<msgId>', msgId);
  const done = here.startsWith('curl ')
    ? await curl(here)
    : here.startsWith('sqlite3 ')
      ? await copy()
      : await run(here);
  token = /\bmorsel_[\w-]+/.exec(done.out)?.[0] ?? token;
  msgId = /"msgId":"(\d+)"/.exec(done.out)?.[1] ?? msgId;
  return done;
}

async function run(line: string): Promise<{ readonly status: number | null; readonly out: string }> {
  const { status, out, errors } = await morsel(wordsOf(line.slice(command.length)));
  return { status, out: out + errors };
}

/** Words as a shell has them, where a quote is at the beginning of a word. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** What curl would do with the options that are used. */
async function curl(line: string): Promise<{ readonly status: number; readonly out: string }> {
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

/** What sqlite3's .backup does. */
async function copy(): Promise<{ readonly status: number; readonly out: string }> {
  mkdirSync('backup', { recursive: true });
  using source = new DatabaseSync(join(dataDir, 'morsel.db'), { readOnly: true });
  const copied = await backup(source, 'backup/morsel.db');
  return { status: copied > 0 ? 0 : 1, out: `${copied} pages` };
}

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

/** A folder in which no gateway runs. */
const folder = mkdtempSync(join(tmpdir(), 'morsel-cli-'));
after(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly errors: string;
}

async function run(
  words: string | readonly string[],
  environment: { readonly [name: string]: string } = {},
): Promise<Ran> {
  let out = '';
  let errors = '';
  const status = await runProgram(wordsIn(words), {
    environment: { MORSEL_DATA_DIR: folder, XDG_CONFIG_HOME: folder, ...environment },
    print: (text) => {
      out += text;
    },
    printError: (text) => {
      errors += text;
    },
    isInteractive: false,
    readInput: () => Promise.resolve('from-stdin\n'),
    async *readLines() {},
  });
  return { status, out, errors };
}

function wordsIn(words: string | readonly string[]): readonly string[] {
  return typeof words === 'string' ? words.split(' ') : words;
}

const times = new Map([
  ['--from <time>', '2026-01-01'],
  ['--to <time>', '2026-02-01'],
]);

/** Words of commands with an argument that must be a folder or a file, and that argument. */
const files: { readonly [words: string]: string } = {
  'config plan': '/dev/null',
  'config apply': '/dev/null',
  'change-set add': '/dev/null',
};

/** The words of a command, with all required arguments. */
function completeWords(command: (typeof commands)[number]): string[] {
  const required = (command.options ?? []).filter((option) => option.isRequired);
  return [
    ...command.words.split(' '),
    ...(command.arguments ?? []).map(({ name }) => (name === 'file' ? files[command.words] : undefined) ?? '1'),
    ...required.flatMap(({ flags, choices }) => [flags.split(' ')[0] ?? '', choices?.[0] ?? times.get(flags) ?? '1']),
    ...(command.options?.some(({ flags }) => flags === '--yes') ? ['--yes'] : []),
    ...(command.words === 'carrier add' ? ['--password', 'x'] : []),
    ...(command.words === 'price remove' ? ['--prefix', '1'] : []),
    ...(command.words === 'webhook set' ? ['--method', 'get'] : []),
    ...(command.words === 'optout set' ? ['--scope', 'account'] : []),
  ];
}

const alone = 'serve, version, demo, simulate, move, backup, carrier presets, login, logout'.split(', ');
const asking = commands.filter(({ words }) => !alone.includes(words));

describe('every command', () => {
  for (const command of commands) {
    const words = command.words.split(' ');

    it(`${command.words} has help with examples`, async () => {
      for (const help of [
        [...words, '--help'],
        [...words, '-h'],
        ['help', ...words.slice(0, 1)],
      ]) {
        const { status, out, errors } = await run(help);
        assert.deepEqual([status, errors], [0, '']);
        assert.match(out, /^Usage: morsel /);
        assert.match(out, /Examples:\n {2}# /);
      }
    });

    it(`${command.words} accepts each of its examples`, async () => {
      for (const example of Object.keys(command.examples)) {
        const typed = example.replace(/ <.*$/, '').match(/"[^"]*"|\S+/g) ?? [];
        const { errors } = await run([...typed.map((word) => word.replaceAll('"', '')), '--help']);
        assert.equal(errors, '');
      }
    });

    it(`${command.words} suggests the nearest option for an unknown one`, async () => {
      const flag = command.options?.[0]?.flags.split(' ')[0] ?? '--json';
      const slip = `${flag.slice(0, 3)}x${flag.slice(3)}`;
      const { status, out, errors } = await run([...words, `${slip}=secret`]);
      assert.deepEqual([status, out], [2, '']);
      assert.equal(
        errors,
        `morsel: unknown option ${slip}; did you mean ${flag}? (see morsel ${command.words} --help)\n`,
      );
    });

    if (command.arguments?.some(({ isMany }) => isMany)) continue;
    it(`${command.words} refuses a word too many`, async () => {
      const { status, errors } = await run([...completeWords(command), 'covert', 'hushed', 'more']);
      assert.equal(status, 2);
      assert.match(errors, /^morsel: too many arguments/);
      assert.doesNotMatch(errors, /covert|hushed/);
    });
  }

  for (const command of asking) {
    it(`${command.words} says how to start a gateway when none runs`, async () => {
      const plain = await run(completeWords(command));
      assert.deepEqual([plain.status, plain.out], [3, '']);
      assert.match(
        plain.errors,
        /^morsel: no gateway runs on .*: start one with "npm run -s morsel -- serve", or set MORSEL_DATA_DIR to the data directory of a running gateway(?:; to check the files of a stopped gateway, use --data-dir|; to use the demo, .*)*\n$/,
      );
      assert.equal(plain.errors.includes('--data-dir'), command.words === 'ledger check');
      const json = await run([...completeWords(command), '--json']);
      assert.deepEqual([json.status, json.out], [3, '']);
      assert.match(json.errors, /^\{"type":"urn:morsel:problem:unreachable",.*"code":"unreachable"\}\n$/);
    });
  }
});

describe('invalid words', () => {
  const rows: readonly (readonly [words: string | readonly string[], sentence: RegExp])[] = [
    [[], /^morsel: a command is missing \(see morsel --help\)\n$/],
    [
      'account',
      /^morsel: account needs one of these words: add, list, show, set, suspend, resume, remove, erase, callback-secret, rules, top-up, adjust, statement, balance \(see morsel account --help\)\n$/,
    ],
    ['help acount', /: unknown command acount; did you mean account\? \(see morsel --help\)/],
    ['help xyzzy', /: unknown command xyzzy \(see morsel --help\)/],
    ['acount list', /: unknown command acount; did you mean account\? \(see morsel --help\)/],
    ['account ls', /: unknown command ls; did you mean list\? \(/],
    ['webhook secret edit', /: unknown command edit \(see morsel webhook secret --help\)/],
    ['account create a', /: unknown command create; did you mean add\? \(/],
    ['carrier stop alpha', /: unknown command stop; did you mean pause\? \(/],
    ['ledger frobnicate', /: unknown command frobnicate \(see morsel ledger --help\)/],
    ['account add a --colour red', /: unknown option --colour \(see morsel account add --help\)/],
    ['account add --currency EUR', /missing required argument 'name'/],
    ['account add a', /account add needs --currency <code>/],
    ['send --text x', /send needs --account <name>, --sender <sender>, --receiver <number> \(/],
    ['send --account a --sender b --receiver c --text x --wait long', /--wait must be a whole number of seconds/],
    ['account add a --currency EUR --refund-policy always', /Allowed choices are never, unsent, refused, undelivered/],
    [
      'carrier add a --host h --port 1 --system-id i',
      /give one of --password, --password-file and --password-stdin, or --password "" if there is none\n$/,
    ],
    [
      'carrier add a --host h --port 1 --system-id i --password p --password-stdin',
      /give one of --password, --password-file and --password-stdin\n$/,
    ],
    ['carrier add a --host h --port 1 --system-id i --password-file /no/such/file', /cannot be read: ENOENT/],
    ['message find --limit 0', /limit must be a whole number from 1 to 100000/],
    ['simulate --port x', /: port must be a whole number from 0 to 65535/],
    ['simulate --port 0 --receipt-delay-ms -1', /: receipt-delay-ms must be /],
    ['simulate --port 0 --ordinary 1234', /: ordinary must be one of 9901, /],
    ['simulate --port 0 --tls-cert /none', /--tls-key must name /],
    ['simulate --port 0 --tls-cert /none --tls-key /none', /a file of --tls-cert, .* cannot be read: ENOENT/],
    [['--jsn'], /unknown option --jsn; did you mean --json\?/],
  ];
  for (const [words, sentence] of rows) {
    it(`are refused: morsel ${wordsIn(words).join(' ')}`, async () => {
      const plain = await run(words);
      assert.deepEqual([plain.status, plain.out], [2, '']);
      assert.match(plain.errors, sentence);
      assert.equal(plain.errors.trimEnd().includes('\n'), false);
      const json = await run([...wordsIn(words), '--json']);
      assert.deepEqual([json.status, json.out], [2, '']);
      const problem: unknown = JSON.parse(json.errors);
      assert.ok(typeof problem === 'object' && problem !== null && 'code' in problem && problem.code === 'usage');
    });
  }
});

describe('an option that takes one value', () => {
  for (const command of commands) {
    for (const { flags, choices, isRepeated } of command.options ?? []) {
      const [flag = '', value] = flags.split(' ');
      if (value === undefined) continue;
      it(`${command.words} ${isRepeated ? 'takes' : 'refuses'} ${flag} twice`, async () => {
        const given = [flag, choices?.[0] ?? 'covert', `${flag}=${choices?.[1] ?? 'hushed'}`];
        const { status, errors } = await run([...command.words.split(' '), ...given]);
        assert.doesNotMatch(errors, /covert|hushed/);
        const sentence = `morsel: ${flag} takes one value, but is given twice (see morsel ${command.words} --help)\n`;
        assert.equal(status === 2 && errors === sentence, isRepeated !== true, errors);
      });
    }
  }
});

it('a bad setting stops the start with one line', async () => {
  for (const words of [['serve'], ['demo']]) {
    const { status, out, errors } = await run(words, { MORSEL_HTTP_PORT: 'http', MORSEL_HTPT_PORT: '1' });
    assert.deepEqual([status, out], [2, '']);
    assert.equal(
      errors,
      'morsel: unknown setting MORSEL_HTPT_PORT is ignored; did you mean MORSEL_HTTP_PORT?\n' +
        'morsel: MORSEL_HTTP_PORT is "http": it must be a whole number from 0 (any free port) to 65535\n',
    );
  }
});

describe('the help of a command with more than fifteen options', () => {
  const many = commands.filter(({ options = [] }) => options.length > 15);
  for (const { words } of many) {
    it(`has its options in groups: ${words}`, async () => {
      const { out } = await run([...words.split(' '), '--help']);
      // A heading begins at the left margin, and its options are indented below it.
      const blocks = out.split(/^(?=\S[^\n]*:\n)/m).filter((block) => /^ {2}-/m.test(block));
      const counts = blocks.map((block) => block.match(/^ {2}-/gm)?.length ?? 0);
      assert.ok(blocks.length >= 3, `${blocks.length} groups`);
      assert.ok(Math.max(...counts) <= 15, `a group of ${words} has ${Math.max(...counts)} options`);
    });
  }

  it('has no groups of options if no group is declared', async () => {
    const { out } = await run(['token', 'add', '--help']);
    assert.deepEqual(out.match(/^\S.*:$/gm), ['Arguments:', 'Options:', 'Examples:']);
  });
});

it('morsel prints its version in three ways, and its help with settings; with a command, --version is an option', async () => {
  const plain = await run(['--version']);
  assert.deepEqual([plain.status, plain.errors], [0, '']);
  assert.match(plain.out, /^\d+\.\d+\.\d+\n$/);
  assert.match((await run(['version'])).out, /^morsel \d+\.\d+\.\d+ on Node\.js v\d+/);
  assert.equal(`${JSON.parse((await run(['version', '--json'])).out).version}\n`, plain.out);
  const set = await run(['carrier', 'set', 'alpha', '--version', '5.0']);
  assert.deepEqual([set.status, set.out], [3, '']);
  const { out } = await run(['--help']);
  for (const each of [
    'MORSEL_DATA_DIR',
    'MORSEL_LOG_LEVEL',
    'Exit status: 0 done, 1 refused, 2 wrong command or setting',
  ])
    assert.ok(out.includes(each), each);
});

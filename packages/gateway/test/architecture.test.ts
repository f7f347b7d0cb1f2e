import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { it, type TestContext } from 'node:test';
import { findRiddles, hasHead } from './plain-english.ts';

/*
 * The shape of ARCHITECTURE.md, held. Each rule answers with sentences that say what is wrong and where; a rule that
 * finds nothing is kept.
 */

interface File {
  /** From the repository's root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** What it imports, as written. */
  readonly imports: readonly string[];
  readonly isTest: boolean;
}

const root = join(import.meta.dirname, '..', '..', '..');
const files = readFiles(join(root, 'packages'));
const inGateway = files.filter((file) => file.path.startsWith('packages/gateway/src/'));
const sources = files.filter((file) => !file.isTest && file.path.includes('/src/'));

/** What each ring may import besides itself, and what stands beside the rings may. */
const mayImport: { readonly [ring: string]: readonly string[] } = {
  edge: ['flow', 'store', 'state', 'core', 'runtime'],
  flow: ['store', 'state', 'core', 'runtime'],
  store: ['state', 'core'],
  state: ['core'],
  core: [],
  runtime: ['core'],
  top: ['edge', 'flow', 'store', 'state', 'core', 'runtime'],
};
const rings = ['edge', 'flow', 'store', 'state', 'core'] as const;
/** Node's modules that are functions of their input alone. */
const pureNodeModules = new Set(['node:crypto', 'node:zlib']);
const allowedPackages: { readonly [name: string]: readonly string[] } = {
  gsm: [],
  smpp: [],
  api: [],
  // What is published has no dependency.
  client: [],
  simulator: ['@morsel/gsm', '@morsel/smpp'],
  gateway: [
    '@morsel/gsm',
    '@morsel/smpp',
    '@morsel/api',
    'libphonenumber-js',
    'nodemailer',
    'pg',
    'pino',
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-base',
    '@zxcvbn-ts/core',
    '@zxcvbn-ts/language-common',
    'prom-client',
  ],
  console: [
    '@morsel/api',
    '@morsel/gsm',
    '@tanstack/react-query',
    '@tanstack/react-router',
    'react',
    'react-dom',
    'downshift',
    'lean-qr',
    'uplot',
    // What builds it, and what tests it.
    '@morsel/gateway',
    '@morsel/simulator',
    '@vitejs/plugin-react',
    'playwright-core',
    'vite',
  ],
  cli: ['@morsel/gateway', '@morsel/simulator', '@morsel/smpp', '@morsel/api', 'commander', 'yaml'],
};
/** Files of a folder that a reader can keep in mind. */
const filesMax = 17;
const linesMax = 400;
/** Folders with files that do not say at their head what they are for. This list only shrinks. */
const stillHeadless: readonly string[] = [];
/** Files up to this long need no head: they are read at a glance. */
const headlessLinesMax = 60;

keeps('imports go from edge to flow, to store, to state, to core, and never back', () =>
  inGateway
    .filter((file) => !file.isTest)
    .flatMap((file) =>
      file.imports.flatMap((imported) => {
        const from = ringOf(file.path);
        const to = imported.startsWith('.') ? ringOf(resolvePath(file.path, imported)) : from;
        if (to === from || (mayImport[from] ?? []).includes(to)) return [];
        return [`${file.path} is in ${from} and imports ${imported}, which is in ${to}`];
      }),
    ),
);

/** The folders of state, each above those before it. Files beside the folders are above all of them. */
const foldersOfState = ['sealing', 'tables', 'rows', 'decide', ''];

keeps('imports between the folders of state never go back', (t) => {
  const back = codeIn('state').flatMap((file) =>
    file.imports
      .filter((imported) => imported.startsWith('.'))
      .map((imported) => resolvePath(file.path, imported))
      .filter((to) => ringOf(to) === 'state' && levelInState(to) > levelInState(file.path))
      .map((to) => `${file.path} imports ${to}, which is above it`),
  );
  t.diagnostic(`imports that go back: ${back.length}`);
  return back;
});

keeps('no files import each other in a circle, types included', () =>
  circles(sources.filter(({ path }) => !path.startsWith('packages/simulator/'))),
);

keeps('no folder has more files than a reader can keep in mind', () =>
  Object.entries(Object.groupBy(sources, ({ path }) => dirname(path)))
    .filter(([, inside]) => (inside?.length ?? 0) > filesMax)
    .map(([folder, inside]) => `${folder} has ${inside?.length} files: divide it by subject`),
);

keeps('core is pure: no I/O, no waiting, no clock, no chance', () =>
  codeIn('core').flatMap((file) => [
    ...file.imports
      .filter((imported) => imported.startsWith('node:') && !pureNodeModules.has(imported))
      .map((imported) => `${file.path} imports ${imported}: core only computes`),
    ...matches(file, /\basync\b|\bawait\b|\bPromise\b/, 'waits: only the outer rings do'),
    ...matches(
      file,
      /\bDate\.now\(|\bnew Date\(\)|performance\.now\(|Math\.random\(|randomBytes/,
      'reads a clock or chance: they come in as values',
    ),
  ]),
);

/** The threads of the store cannot get the clock of the process: functions do not pass between threads. */
const mayReadClock = new Set(['packages/gateway/src/store/stopwatch.ts']);

/** Outside `runtime/` time and chance come in as arguments. What may still set a timer of the machine, and why. */
const mayWait: { readonly [path: string]: string } = {
  'packages/gateway/src/edge/http/connection/connections.ts': 'a socket that lingers',
  'packages/gateway/src/edge/webhook/connections.ts': 'the deadline of one HTTP exchange',
  'packages/gateway/src/edge/webhook/exchange.ts': 'the deadline of one HTTP exchange',
  'packages/gateway/src/edge/webhook/lookup.ts': 'the deadline of a name server',
  'packages/gateway/src/store/old-refusals.ts': 'a thread of its own, without the clock of the process',
  'packages/gateway/src/store/postgres/wire/connection.ts': 'a thread of its own, without the clock of the process',
  'packages/gateway/src/store/sqlite/checkpoint-thread.ts': 'a thread of its own, without the clock of the process',
  'packages/gateway/src/store/sqlite/commit-count.ts': 'of the writing thread',
};

keeps('outside runtime/ nobody reads a clock, waits or draws by chance on their own', () =>
  inGateway
    .filter((file) => !file.isTest && ringOf(file.path) !== 'runtime')
    .flatMap((file) => [
      ...matches(
        mayReadClock.has(file.path) ? { ...file, text: '' } : file,
        /\bDate\.now\b|\bperformance\.now\b|\bMath\.random\b|\bsetInterval\(/,
        'reads a clock, polls or draws by itself: take the clock, the loop or the random of runtime/',
      ),
      ...(file.path in mayWait
        ? []
        : [
            ...matches(file, /\bsetTimeout\(/, 'sets a timer of the machine: use clock.setTimer'),
            ...file.imports
              .filter((imported) => imported === 'node:timers/promises')
              .map((imported) => `${file.path} imports ${imported}: use sleep of runtime/clock.ts`),
          ]),
    ]),
);

keeps('core, state and flow speak no protocol: carriers and clients are translated at the edge', () =>
  (['core', 'state', 'flow'] as const).flatMap((ring) =>
    codeIn(ring).flatMap((file) =>
      matches(
        file,
        /commandStatus|dataCoding|esm_?class|systemId|tlv|udh|submitSm|deliverSm|@morsel\/smpp/i,
        'speaks SMPP: say it in words of the middle, or do it in edge/',
      ),
    ),
  ),
);

keeps('SQL stands in store/, and nowhere else', () =>
  inGateway
    .filter((file) => !file.isTest && ringOf(file.path) !== 'store')
    .flatMap((file) => [
      ...matches(file, /['"`](select|insert into|update|delete from|pragma|begin immediate)\s/i, 'has SQL'),
      ...(ringOf(file.path) === 'state'
        ? matches(file, /['"`]\s*(where|order by|join)\s|\$\{\w+\} = \?/, 'has SQL')
        : []),
      ...file.imports
        .filter((imported) => imported === 'node:sqlite' || imported === 'pg')
        .map((imported) => `${file.path} imports ${imported}: only the engines of store do`),
    ]),
);

keeps('only config.ts reads the environment', () =>
  sources
    // The compile cache is switched on before config.ts is imported, by a variable of Node's.
    .filter(({ path }) => !/^packages\/(gateway\/src\/config|gateway\/src\/runtime\/compile-cache)\.ts$/.test(path))
    .flatMap((file) => matches(file, /process\.env\b/, 'reads the environment: ask config.ts')),
);

keeps(
  'threads of the store load no npm package but pg: each start of a gateway loads them again for every thread',
  () => {
    const byPath = new Map(sources.map((file) => [file.path, file]));
    const found = new Set<string>();
    const seen = new Set<string>();
    const walk = (file: File | undefined, from: string): void => {
      if (!file || seen.has(file.path)) return;
      seen.add(file.path);
      for (const [, imported = ''] of file.text.matchAll(/^import (?!type )[^;]*?from '([^']+)';/gm)) {
        const ours = /^@morsel\/([a-z]+)\/?(.*)$/.exec(imported);
        if (ours) walk(byPath.get(`packages/${ours[1]}/src/${ours[2] || 'index.ts'}`), from);
        else if (imported.startsWith('.')) walk(byPath.get(resolvePath(file.path, imported)), from);
        else if (!imported.startsWith('node:') && !(imported === 'pg' && from.includes('/postgres/')))
          found.add(`${from} loads ${imported} by ${file.path}`);
      }
    };
    for (const file of sources.filter(({ path }) => path.endsWith('-thread.ts'))) walk(file, file.path);
    return [...found, ...(seen.size < 50 ? ['the files of the threads were not found'] : [])];
  },
);

keeps('packages depend only on what ARCHITECTURE.md allows them', () =>
  sources.flatMap((file) => {
    const name = file.path.split('/')[1] ?? '';
    const allowed = allowedPackages[name] ?? [];
    return file.imports
      .filter((imported) => !imported.startsWith('.') && !imported.startsWith('node:'))
      .filter((imported) => !allowed.some((each) => imported === each || imported.startsWith(`${each}/`)))
      .map((imported) => `${file.path} imports ${imported}, which package ${name} may not`);
  }),
);

keeps('npm ci warns of no package: each takes the oldest Node that package.json names', () => {
  const oldest = [...numbersOf(enginesOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))), 0];
  const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  assert.ok(typeof lock === 'object' && lock !== null && 'packages' in lock && lock.packages);
  return Object.entries(lock.packages).flatMap(([name, entry]) => {
    const wanted = enginesOf(entry);
    const takes = wanted.split('||').some((range) => takesNode(range.trim(), oldest));
    return takes ? [] : [`${name} needs Node ${wanted}, and package.json says ${oldest.join('.')}`];
  });
});

keeps('an exported name occurs once in a package', () => {
  const places = new Map<string, string[]>();
  for (const { path, text } of sources) {
    // Made from the contract, whose names the client's own types keep.
    if (path === 'packages/client/src/contract.ts') continue;
    for (const found of text.matchAll(
      /^export (?:async |abstract )*(?:function\*?|const|let|class|interface|type) (\w+)/gm,
    )) {
      const name = `${path.split('/')[1]} ${found[1]}`;
      places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  return [...places]
    .map(([name, paths]) => ({ name, paths: [...new Set(paths)] }))
    .filter(({ paths }) => paths.length > 1)
    .map(({ name, paths }) => `${name} is exported by ${paths.join(' and ')}: one name, one thing`);
});

keeps('files are small enough to be read', () =>
  sources
    .map((file) => ({ path: file.path, lines: file.text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > linesMax)
    .map(({ path, lines }) => `${path} has ${lines} lines: is it still about one thing?`),
);

keeps('a file that is longer than a glance says at its head what it is for', () =>
  sources
    .filter(({ path }) => !stillHeadless.some((each) => path.startsWith(each)))
    .filter(({ text }) => text.split('\n').length - 1 > headlessLinesMax && !hasHead(text))
    .map(({ path }) => `${path} does not say what it is for: write one or two sentences before the first declaration`),
);

keeps('what people read is plain English, without the phrases that had to be read twice', () =>
  [...files, ...documents()]
    .filter(({ path }) => path !== 'packages/gateway/test/plain-english.ts')
    .flatMap(({ path, text }) => findRiddles(path, text)),
);

keeps('every file and every heading that the documents name exists', () =>
  documents()
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) => [
      ...namedFiles(text)
        .filter((name) => !existsSync(join(root, name)) && !existsSync(join(root, 'packages/gateway/src', name)))
        .map((name) => `${path} names ${name}, which is not there`),
      ...[...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)]
        .filter(([, link = '', heading]) => !hasPlace(path, link, heading))
        .map(([whole]) => `${path} has the link ${whole.slice(1)}, which leads nowhere`),
    ]),
);

/** Whether the link of a page leads to a file and, if it names one, to a heading. */
function hasPlace(page: string, link: string, heading: string | undefined): boolean {
  // The page of the npm package stands at the root of the package.
  const folder = page.startsWith('deploy/npm/') ? '' : dirname(page);
  const file = link === '' ? join(root, page) : join(root, folder, link);
  if (!existsSync(file)) return false;
  return heading === undefined || headingsOf(readFileSync(file, 'utf8')).includes(heading);
}

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Documents that nobody has time to read are not read. What the declarations say is in docs/reference, and not counted. */
const handWrittenWordsMax = 28_000;
const decisionWordsMax = 250;

keeps('documents by hand have at most 28,000 words, and a decision 250', () => {
  const byHand = documents().filter(({ path }) => path.endsWith('.md') && !path.startsWith('docs/reference/'));
  const words = byHand.reduce((sum, { text }) => sum + wordsIn(text), 0);
  const long = byHand.filter(
    ({ path, text }) => path.startsWith('docs/decisions/') && wordsIn(text) > decisionWordsMax,
  );
  return [
    ...(words > handWrittenWordsMax ? [`they have ${words} words: what a list of docs/reference has is a link`] : []),
    ...(byHand.length < 30 ? ['the documents were not found'] : []),
    ...long.map(({ path, text }) => `${path} has ${wordsIn(text)} words: decided, because, lost`),
  ];
});

/** The words of a text, also those in blocks of code; bars of tables and dashes are none. */
function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

keeps('ARCHITECTURE.md is a map: 1,500 words, and a tour of 40 files, at most', () => {
  const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const words = wordsIn(map);
  const tour = /^## The tour.*?(?=^## )/ms.exec(map)?.[0] ?? '';
  const walked = new Set(namedFiles(tour).filter((name) => !name.endsWith('.test.ts'))).size;
  return [
    ...(words > 1_500 ? [`it has ${words} words: move reasons to docs/decisions`] : []),
    ...(walked < 20 || walked > 40 ? [`its tour has ${walked} files`] : []),
  ];
});

keeps('no file is named after nothing, and no folder hides its files behind an index', () =>
  files.flatMap(({ path }) => {
    const name = path.split('/').at(-1) ?? '';
    if (/^(utils?|helpers?|common|types|misc)\.ts$/.test(name)) return [`${path} says nothing of what it is for`];
    if (name === 'index.ts' && !/^packages\/[a-z]+\/src\/index\.ts$/.test(path)) return [`${path} is a barrel`];
    return /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|fixture|bench|d))?\.tsx?$/.test(name) ? [] : [`${path} is not kebab-case`];
  }),
);

keeps('constants are camelCase in every package', () =>
  files.flatMap((file) => matches(file, /^(export )?const [A-Z][A-Z0-9_]+\b/, 'names a constant in capitals')),
);

/** A value of Prometheus is a float. Nothing is decided with it. */
const metricsOfMoney = 'packages/gateway/src/edge/metrics/accounts.ts';

keeps('no amount of money passes through a float (M5)', () =>
  floats(inGateway.filter((file) => !file.isTest && file.path !== metricsOfMoney)),
);

it('knows a float of money when it sees one, by the names that are declared as Micros', () => {
  const declared = 'interface Charge { readonly toll: Micros; readonly balance?: Micros }';
  for (const line of [
    'Number(charge.toll)',
    'Math.round(a.balance / 2)',
    'parseFloat(x)',
    'x.toFixed(2)',
    'x * 1_000_000',
  ]) {
    assert.equal(floats([{ path: 'x.ts', text: `${declared}\n${line}`, imports: [], isTest: false }]).length, 1, line);
  }
  for (const line of ['BigInt(numParts) * unitPrice', 'Number(row.count)', 'x * 1_000_000n', '// Number(balance)']) {
    assert.deepEqual(floats([{ path: 'x.ts', text: `${declared}\n${line}`, imports: [], isTest: false }]), [], line);
  }
  for (const name of ['amount', 'balance', 'unitPrice', 'totalCost', 'creditLimit']) {
    assert.ok(namesOfMoney(inGateway).includes(name), name);
  }
});

/** As far as a line shows it: what turns into a number, and the name of an amount somewhere in it. */
function floats(code: readonly File[]): string[] {
  const names = namesOfMoney(code).join('|');
  const conversion = new RegExp(`\\b(?:Number|parseInt|Math\\.\\w+)\\((?:[^()]|\\([^()]*\\))*\\b(?:${names})\\b`);
  return code.flatMap((file) => [
    ...matches(file, conversion, 'makes a number of money'),
    ...matches(file, /parseFloat\(/, 'reads a float: amounts are read by parseMicros'),
    ...matches(file, /[*/] ?1_000_000\b/, 'has a million that is a number: of money it is a bigint'),
    // A time line rounds its seconds.
    ...(file.path.endsWith('cli/time-line.ts')
      ? []
      : matches(file, /\.toFixed\(/, 'rounds: amounts are written by formatMicros')),
  ]);
}

/** What is declared as `Micros` anywhere, but for a word that other things are called by too. */
function namesOfMoney(code: readonly File[]): readonly string[] {
  const names = code.flatMap((file) =>
    [...file.text.matchAll(/(\w+)\??: (?:Micros\b(?!\[)|(?:nullable\()?micros\b)/g)].map((found) => found[1] ?? ''),
  );
  return [...new Set(names)].filter((name) => !['cap', 'day', 'month'].includes(name));
}

it('the rules look at the files of every ring', () => {
  for (const ring of rings) assert.ok(codeIn(ring).length > 2, `no files were found in ${ring}/`);
});

function keeps(rule: string, find: (t: TestContext) => readonly string[]): void {
  it(rule, (t) => {
    const found = find(t);
    assert.equal(found.length, 0, `\n${found.map((sentence) => `  - ${sentence}.`).join('\n')}\n`);
  });
}

function enginesOf(manifest: unknown): string {
  const has = typeof manifest === 'object' && manifest !== null && 'engines' in manifest ? manifest.engines : null;
  return typeof has === 'object' && has !== null && 'node' in has ? String(has.node) : '*';
}

/** The ranges that packages write: `>=20.19`, `^20.19.0`, `20`, `10.x`, `*`. */
function takesNode(range: string, node: readonly number[]): boolean {
  const least = numbersOf(range);
  const differs = node.findIndex((number, at) => number !== (least[at] ?? 0));
  const isFromThere = differs === -1 || (node[differs] ?? 0) > (least[differs] ?? 0);
  return range === '*' || (isFromThere && (range.startsWith('>=') || node[0] === least[0]));
}

function numbersOf(range: string): readonly number[] {
  return (range.match(/\d+/g) ?? []).map(Number);
}

function codeIn(ring: string): readonly File[] {
  return inGateway.filter((file) => !file.isTest && ringOf(file.path) === ring);
}

/** Each circle once, by the file of it that comes first. */
function circles(code: readonly File[]): readonly string[] {
  const next = new Map(
    code.map(({ path, imports }) => [
      path,
      imports.filter((each) => each.startsWith('.')).map((each) => resolvePath(path, each)),
    ]),
  );
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at !== -1) found.push(`circle: ${[...way.slice(at), path].join(' -> ')}`);
    if (at !== -1 || done.has(path)) return;
    for (const each of next.get(path) ?? []) walk(each, [...way, path]);
    done.add(path);
  };
  for (const path of next.keys()) walk(path, []);
  return found;
}

function levelInState(path: string): number {
  return foldersOfState.indexOf(/\/src\/state\/([\w-]+)\//.exec(path)?.[1] ?? '');
}

function ringOf(path: string): string {
  const inside = relative('packages/gateway/src', path).split(sep);
  return inside.length > 1 ? (inside[0] ?? 'top') : 'top';
}

function resolvePath(from: string, imported: string): string {
  return relative(root, resolve(root, dirname(from), imported));
}

/** Lines that match and are no comment, each as a sentence. */
function matches(file: File, pattern: RegExp, sentence: string): string[] {
  return file.text
    .split('\n')
    .flatMap((line, index) =>
      !/^\s*(\/?\*|\/\/)/.test(line) && pattern.test(line) ? [`${file.path}:${index + 1} ${sentence}`] : [],
    );
}

/** The paths in code marks, without those of other programs, which have no folder. */
function namedFiles(text: string): readonly string[] {
  return [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.ts)`/g)].map(([, name = '']) => name);
}

/** Every page of documentation, and the files of the benchmarks. */
function documents(): readonly { readonly path: string; readonly text: string }[] {
  return ['', 'docs', 'docs/decisions', 'docs/reference', 'bench', 'deploy/npm', 'packages/client', 'packages/gsm']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
    .filter((path) => /\.md$|^bench\/.*\.ts$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function readFiles(folder: string): File[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.split(sep).includes('node_modules'))
    .map((name) => {
      const path = relative(root, join(folder, name)).split(sep).join('/');
      const text = readFileSync(join(folder, name), 'utf8');
      const imports = [...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)';|^import '([^']+)';/gms)];
      return {
        path,
        text,
        imports: imports.map((match) => match[1] ?? match[2] ?? ''),
        isTest: /\.(test|fixture|bench)\.tsx?$|\/test\/|\/test-[a-z-]+\.ts$|\/bench\//.test(path),
      };
    });
}

/** `npm run bench`: starts the named benchmark with its options. */
import { spawnSync } from 'node:child_process';

/** Each benchmark is a file of its name, which reads the benchmark's options from the command line. */
const benchmarks = {
  http: 'messages over HTTP to a carrier, and their receipts back (the default); --peer compares with Kannel',
  submit: 'submit_sm of clients over four sessions; each is committed before its answer',
  webhook: 'inbound messages to one webhook, 5,000 a second',
  nodes: 'one and two nodes on PostgreSQL, in turn with SQLite and Kannel',
  prices: 'price lists: loading, looking up, and imports under full load',
  path: 'the cost of each step of a message',
} as const;

const names = Object.keys(benchmarks);
const help = `Measures how fast Morsel is, and checks its counts. bench/README.md describes each benchmark and our results.

  npm run bench -- [NAME] [options]

${Object.entries(benchmarks)
  .map(([name, what]) => `  ${name.padEnd(10)}${what}`)
  .join('\n')}
  all       all benchmarks, one after the other

Each benchmark has a help with its options, such as npm run bench -- submit --help. Run nothing else on the machine
meanwhile.
`;

const [, script = '', first = 'http', ...others] = process.argv;
const [name, options] = first.startsWith('--') && first !== '--help' ? ['http', [first, ...others]] : [first, others];

if (name === '--help' || name === '-h') process.stdout.write(help);
else if (name === 'all') {
  const failed = names.filter((each) => spawnSync(process.execPath, [script, each], { stdio: 'inherit' }).status !== 0);
  if (failed.length > 0) process.stderr.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} else if (names.includes(name)) {
  process.argv.splice(2, Infinity, ...options);
  await import(`./${name}.ts`);
} else {
  process.stderr.write(`the benchmark must be one of ${names.join(', ')}, all; see npm run bench -- --help\n`);
  process.exitCode = 2;
}

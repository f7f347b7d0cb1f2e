/** `npm run bench`: starts the named benchmark with its options. */
import { spawnSync } from 'node:child_process';

/** Each is a file of its name, which reads its options from the command line. */
const benchmarks = {
  http: 'messages over HTTP to a carrier and their receipts back; beside Kannel with --peer (the default)',
  submit: 'submit_sm of clients over four sessions, each committed before its answer',
  webhook: 'inbound messages to one webhook, 5,000 a second',
  deliver: 'receipts to bound sessions, one deliver_sm each',
  flood: '20,000 receipts a second, half of them for unknown ids',
  backlog: 'a carrier that is down while 500,000 messages come in',
  prices: 'price lists: loading, looking up, and imports beside full load',
  pipeline: 'clients that pipeline requests and read no answers, beside normal clients',
  path: 'the cost of each step of a message',
} as const;

const names = Object.keys(benchmarks);
const help = `Measures how fast Morsel is, and checks its counts. bench/README.md describes each benchmark and our results.

  npm run bench -- [NAME] [options]

${Object.entries(benchmarks)
  .map(([name, what]) => `  ${name.padEnd(9)}${what}`)
  .join('\n')}
  all      each of them, one after the other

Each benchmark has its options: npm run bench -- submit --help. Run nothing else on the machine meanwhile.
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
  process.stderr.write(
    `there is no benchmark "${name}", but ${names.join(', ')} and all; see npm run bench -- --help\n`,
  );
  process.exitCode = 2;
}

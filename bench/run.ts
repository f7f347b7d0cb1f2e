/** `npm run bench`: which benchmark it is, and that one's own options behind its name. */
import { spawnSync } from 'node:child_process';

/** Each a file of its name, which reads its options from the command line. */
const benchmarks = {
  http: 'messages over HTTP to a carrier and their receipts back; beside Kannel with --peer; what is run without a name',
  submit: 'submit_sm of clients over four sessions, each committed before its answer',
  webhook: 'messages from phones to one webhook, 5,000 a second',
  deliver: 'receipts to bound sessions, one deliver_sm each',
  flood: '20,000 receipts a second, half of them for ids that nobody gave out',
  backlog: 'a carrier that is down while 500,000 messages come in',
  prices: 'price lists: loading, looking up, and imports beside full load',
  pipeline: 'clients that pipeline requests and read no answers, beside others that wait for theirs',
  path: 'what each part of the way of a message costs by itself',
} as const;

const names = Object.keys(benchmarks);
const help = `How fast Morsel is, and whether the books hold. bench/README.md says what each measures, and what we saw.

  npm run bench -- [NAME] [options]

${Object.entries(benchmarks)
  .map(([name, what]) => `  ${name.padEnd(9)}${what}`)
  .join('\n')}
  all      each of them, one after the other

Options are those of the one that is named: npm run bench -- submit --help. Nothing else should run on the machine meanwhile.
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

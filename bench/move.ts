/** `npm run bench -- move`. The constant `help` describes the benchmark and its options. */
import { join } from 'node:path';
import { Child } from '../packages/gateway/test/support/child.ts';
import { Shown } from '../packages/gateway/test/support/json.ts';
import { writeManyMessages } from '../packages/gateway/test/support/many-messages.ts';
import { Postgres, postgresFolder } from '../packages/gateway/test/support/postgres.ts';
import { makeFolder } from './folder.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Say, Trial } from './trial.ts';

const help = `Moves many messages from SQLite to PostgreSQL and back, and compares all rows and totals.

  npm run bench -- move [--thousands 1000] [--json]

  --thousands N  thousands of messages; one in twenty is open (default: 1000)
  --json         prints one JSON value

PostgreSQL writes to the disk, as an operator's does. The exit status is 1 unless all rows are the same after both moves.

Needs PostgreSQL 15: apt-get install postgresql-15
`;

type Option = 'thousands';
const trial: Trial<Option> = { help, options: { thousands: 1_000 }, programs: [`${postgresFolder}/postgres`], run };

async function run({ thousands }: Readonly<Record<Option, number>>, say: Say) {
  await using folder = makeFolder();
  await using back = makeFolder();
  await using server = await Postgres.start({ settings: ['max_wal_size=16GB'] });
  say(`writing ${thousands} thousand messages`);
  await writeManyMessages(join(folder.path, 'morsel.db'), thousands);
  const there = await moved(server.url, folder.path, []);
  const again = await moved(server.url, back.path, ['--back']);
  say(`parts: ${JSON.stringify(there.at('parts'))}; balances: ${JSON.stringify(there.at('balances'))}`);
  const faults = ['rows', 'parts', 'balances', 'ledgerFaults']
    .filter((name) => JSON.stringify(there.at(name)) !== JSON.stringify(again.at(name)))
    .map((name) => `${name} differ: ${JSON.stringify(there.at(name))} and ${JSON.stringify(again.at(name))}`);
  const rate = (seconds: number) => (thousands * 1_000) / seconds;
  return {
    figures: [
      figureOf('toPostgresSeconds', 'SQLite to PostgreSQL', there.number('seconds'), 's'),
      figureOf('toPostgresPerSecond', 'messages moved and compared', rate(there.number('seconds')), '/s'),
      figureOf('toSqliteSeconds', 'PostgreSQL to SQLite', again.number('seconds'), 's'),
      figureOf('toSqlitePerSecond', 'messages moved and compared', rate(again.number('seconds')), '/s'),
      figureOf('ledgerFaults', 'faults of the ledger', there.number('ledgerFaults'), ''),
    ],
    faults,
  };
}

async function moved(url: string, dataDir: string, words: readonly string[]): Promise<Shown> {
  const environment = { MORSEL_DATABASE_URL: url, MORSEL_DATA_DIR: dataDir };
  const { status, out, errors } = await new Child(['move', ...words, '--yes', '--json'], { environment }).ended;
  if (status !== 0) throw new Error(`the move failed: ${errors}`);
  return new Shown(JSON.parse(out));
}

process.exitCode = await runTrial(trial, process.argv.slice(2));

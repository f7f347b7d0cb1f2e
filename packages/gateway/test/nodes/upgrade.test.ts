/*
 * A rolling upgrade: one node after the other is drained, stopped and started as a newer program that has further
 * migrations. Before the last one, the first one also goes back to the older program. Clients, and carriers with inbound
 * messages, send all the time. No message is lost or sent twice.
 */

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { needsPostgres } from '../peers/needs.ts';
import { program } from '../support/gateway/child.ts';
import { links, Trial } from './trial.ts';

const checkout = join(import.meta.dirname, '../../../..');

/** Older programs may run after the first migration. The second one waits until the last older program has stopped. */
const newMigrations = {
  expand: 'alter table account add column nickname text;\nalter table message add column mood text;\n',
  contract: (known: number) =>
    `-- oldest program: ${known + 1}\n-- contract\nalter table account alter column nickname set default 'none';\n`,
};

/** Copies the program to a folder, with another release and two more migrations. Returns the file that starts it. */
function newerProgram(folder: string): { readonly file: string; readonly known: number } {
  cpSync(join(checkout, 'packages'), join(folder, 'packages'), {
    recursive: true,
    filter: (path) => !/\/(node_modules|test|long)$/.test(path),
  });
  const installed = join(folder, 'node_modules');
  mkdirSync(join(installed, '@morsel'), { recursive: true });
  for (const name of readdirSync(join(checkout, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@morsel') {
      symlinkSync(join(checkout, 'node_modules', name), join(installed, name));
    }
  }
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(installed, '@morsel', name));
  }
  const gateway = join(folder, 'packages/gateway');
  const manifest = join(gateway, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": "[^"]*"/, '"version": "9.9.9"'));
  const migrations = join(gateway, 'src/store/migrations/postgres');
  const known = readdirSync(migrations).filter((name) => name.endsWith('.sql')).length;
  const add = (number: number, sql: string) =>
    writeFileSync(join(migrations, `${String(number).padStart(4, '0')}-of-a-test.sql`), sql);
  add(known + 1, newMigrations.expand);
  add(known + 2, newMigrations.contract(known));
  return { file: join(folder, 'packages/cli/src/morsel.ts'), known };
}

it(
  'two nodes are upgraded one after the other, and back, while traffic goes on, and nothing is lost',
  needsPostgres,
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'morsel-upgrade-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const { file, known } = newerProgram(join(folder, 'newer'));
    await using trial = await Trial.open(Date.now(), { file: program });
    const schema = () => trial.ask('select version, oldest_program from morsel_schema');
    const releases = async () => (await trial.ask('select release from member order by name')).flat();
    const [old] = await releases();
    trial.startLoad();
    await trial.goesOn();
    assert.deepEqual(await schema(), [[String(known), '1']]);
    // While an older node runs, the schema has all that older programs need.
    const both = [known + 1, 1] as const;
    for (const [at, to, [version, oldest], running] of [
      [0, file, both, ['9.9.9', old]],
      [0, program, both, [old, old]],
      [0, file, both, ['9.9.9', old]],
      [1, file, [known + 2, known + 1], ['9.9.9', '9.9.9']],
    ] as const) {
      const place = trial.pair.places[at] ?? assert.fail('there are two');
      const other = trial.besides(place);
      const { name } = place;
      await other.node.administer('POST', '/v1/nodes/drain', { name });
      await trial.more(undefined, other);
      await place.node.stop();
      await trial.more(undefined, other);
      place.file = to;
      await trial.pair.restart(place);
      assert.deepEqual(await schema(), [[version, oldest].map(String)]);
      assert.deepEqual(await releases(), running);
      await other.node.administer('POST', '/v1/nodes/resume', { name });
      await trial.goesOn();
    }
    await trial.compare();
    assert.equal(trial.pair.ownEnds, 0, 'no node ended by itself');
    // A draining node gives a link away when the carrier has answered its requests, never before.
    assert.deepEqual(await trial.ask('select message from part where in_doubt > 0'), [], 'parts in doubt');
    assert.equal(trial.books.mostBinds, links);
    const late = trial.pair.places[0] ?? assert.fail('there are two');
    await late.node.stop();
    late.file = program;
    await assert.rejects(trial.pair.restart(late), /needs a program that knows version \d+, .*run the newer program/s);
    t.diagnostic(`${trial.accepted} messages and ${trial.books.heard.size} inbound messages`);
  },
);

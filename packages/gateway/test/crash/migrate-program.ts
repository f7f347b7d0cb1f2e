import { migrate, openForWriting } from '../../src/store/sqlite/database.ts';

/*
 * Migrates a database (first argument) with the migrations of a folder (second argument). SQL that calls `die()` kills
 * it there.
 */

const [file = '', folder = ''] = process.argv.slice(2);

const database = openForWriting(file);
database.function('die', () => {
  process.kill(process.pid, 'SIGKILL');
  // The signal is under way: nothing may happen any more.
  for (;;);
});
migrate(database, folder);
process.stdout.write('migrated\n');

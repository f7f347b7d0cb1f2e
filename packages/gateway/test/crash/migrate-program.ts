import { migrate, openForWriting } from '../../src/store/sqlite/database.ts';

/*
 * Migrates a database (first argument) with the migrations of a folder (second argument). SQL that calls `die()` kills
 * this process.
 */

const [file = '', folder = ''] = process.argv.slice(2);

const database = openForWriting(file);
database.function('die', () => {
  process.kill(process.pid, 'SIGKILL');
  // The signal is under way: the process must do nothing more.
  for (;;);
});
migrate(database, folder);
process.stdout.write('migrated\n');

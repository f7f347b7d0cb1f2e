import { migrate, openForWriting } from '../../src/store/sqlite/database.ts';

/* Migrates the database that is named first by the folder that is named second; SQL that calls `die()` kills it there. */

const [file = '', folder = ''] = process.argv.slice(2);

const database = openForWriting(file);
database.function('die', () => {
  process.kill(process.pid, 'SIGKILL');
  // The signal is on its way: nothing may be done any more.
  for (;;);
});
migrate(database, folder);
process.stdout.write('migrated\n');

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDirectory } from './lock.ts';
import { assertCurrent, openForReading, StoreRefused } from './sqlite/database.ts';
import { Queries } from './views/queries.ts';

/**
 * The database of a gateway that does not run, for reading: while it is open none can start on it. Throws `StoreRefused` with
 * a sentence for the operator.
 */
export function openStopped(folder: string): Disposable & { readonly queries: Queries } {
  const file = join(folder, 'morsel.db');
  if (!existsSync(file)) throw new StoreRefused(`there is no database in ${folder}`);
  using opened = new DisposableStack();
  opened.use(lockDataDirectory(folder));
  const database = opened.adopt(openForReading(file), (each) => each.close());
  assertCurrent(database);
  const held = opened.move();
  return { queries: new Queries(database), [Symbol.dispose]: () => held.dispose() };
}

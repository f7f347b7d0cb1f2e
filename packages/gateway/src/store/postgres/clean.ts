import { personalTables } from '../lookups/marks.ts';
import { PostgresConnection } from './wire/connection.ts';

/* Removes the remains of erased rows in PostgreSQL. VACUUM frees their space, and later rows overwrite it. */

const limitMs = 24 * 60 * 60_000;

/** Returns null, because nobody can search the files of the server from here. */
export async function cleanPostgres(url: string): Promise<null> {
  await using connection = await PostgresConnection.open(url, [], { limitMs });
  for (const { name } of personalTables) await connection.send([{ text: `vacuum ${name}` }]);
  return null;
}

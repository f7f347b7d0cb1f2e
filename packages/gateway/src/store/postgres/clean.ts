import { PostgresConnection } from './wire/connection.ts';

/* Removes what PostgreSQL keeps of erased rows: VACUUM frees their space, and the next rows overwrite it. */

/** The tables that had the number. */
const tables = [
  'message',
  'part',
  'idempotency_key',
  'inbound',
  'opt_out',
  'opt_out_event',
  'unmatched_receipt',
  'reference',
  'erasure',
];

const limitMs = 24 * 60 * 60_000;

/** Nobody can look into the files of the server from here, so the answer is null. */
export async function cleanPostgres(url: string): Promise<null> {
  const connection = await PostgresConnection.open(url, [], { limitMs });
  try {
    for (const table of tables) await connection.send([{ text: `vacuum ${table}` }]);
  } finally {
    await connection.close();
  }
  return null;
}

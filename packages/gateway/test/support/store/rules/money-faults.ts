import type { Postgres } from '../postgres.ts';
import type { TestDatabase } from '../test-database.ts';
import { storeRules } from './store-rules.ts';

/* Checks by SQL that a store keeps its rules, on any engine. */

/** Broken rules, as sentences with one example each; a correct store has none. */
export async function moneyFaultsIn(database: Pick<TestDatabase, 'rows' | 'strays'>): Promise<string[]> {
  const faults: string[] = [];
  for (const [promise, sql] of storeRules) {
    const found = await database.rows(sql, []);
    if (found.length > 0) faults.push(`${promise}: not so for ${JSON.stringify(found[0])}`);
  }
  for (const stray of await database.strays()) faults.push(`a foreign key points nowhere: ${JSON.stringify(stray)}`);
  return faults;
}

/** Broken rules in a database of PostgreSQL, which has no foreign keys. */
export function moneyFaultsOf(postgres: Pick<Postgres, 'query'>): Promise<string[]> {
  const rows = async (sql: string) => {
    const found = await postgres.query(sql);
    return found.rows.map((row) => Object.fromEntries(found.fields.map(({ name }, at) => [name, String(row[at])])));
  };
  return moneyFaultsIn({ rows, strays: async () => [] });
}

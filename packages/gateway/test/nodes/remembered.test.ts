import assert from 'node:assert/strict';
import { it } from 'node:test';
import { missing } from '../peers/needs.ts';
import { postgresFolder } from '../support/postgres.ts';
import { PostgresTestDatabase } from '../support/postgres-test-database.ts';
import { TestStore } from '../support/store.ts';

const other = 5;

class PostgresStore extends TestStore {
  static async onPostgres(): Promise<TestStore> {
    return new PostgresStore(await PostgresTestDatabase.open(true)).fill();
  }
}

it(
  'a message that a node remembers is taken over as it is, and not as it was',
  {
    skip: missing(`${postgresFolder}/postgres`),
  },
  async () => {
    await using store = await PostgresStore.onPostgres();
    await store.run(
      `insert into node (id, last_message_id, lease, inbound_answered, seen_at, groups) values (${other}, 0, ${other}, 1, 0, 0)`,
    );
    await store.apply(store.accept());
    // As the other node claims it.
    await store.run(`delete from queue; update part set state = 'claimed', attempts = 1, tries = 1, due = null,
    tried_by = 1, claim_link = 1, claim_lease = ${other}, claim_at = ${store.now}, claim_is_whole = 0`);
    const taken = await store.one({ kind: 'take-over', at: store.now, node: other, lease: other });
    assert.deepEqual([taken, await store.part(1001)], [{ ok: true, value: { inDoubt: 1 } }, 'in_doubt']);
  },
);

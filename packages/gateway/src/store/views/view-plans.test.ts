import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { DatabaseSync } from 'node:sqlite';
import { writeNewDatabase } from '../../../test/support/store/database.ts';
import { RecordedDatabase } from '../../../test/support/store/recorded-database.ts';
import { faultsOfPlan } from '../../../test/support/store/rules/plan-faults.ts';
import { fillByChance } from '../../../test/support/store/stored-rows.ts';
import { askAll, viewQuestions } from '../../../test/support/store/view-questions.ts';
import { SqliteQueries } from '../sqlite/queries.ts';
import { readView, type ViewName } from './views.ts';
import { testVault } from '../../../test/support/store/vault.ts';

/*
 * A page costs the same at any place and with any number of rows: no query of a view reads a whole table or sorts more
 * than a page. All pages together are the whole list.
 */

describe('no query reads or sorts a whole table', () => {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-plans-'));
  const file = join(folder, 'stored.db');
  writeNewDatabase(file);
  const database = new RecordedDatabase(file);
  after(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  fillByChance(database, 1);
  const queries = new SqliteQueries(database, testVault);
  const ask = (view: ViewName, input: unknown) => readView(queries, view, input);

  for (const [view, questions = []] of Object.entries(Object.groupBy(viewQuestions, (each) => each.view))) {
    it(`of the view ${view}`, async () => {
      database.takeAsked();
      for (const question of questions) await askAll(ask, question);
      const statements = new Set(database.takeAsked().map(({ sql }) => sql));
      assert.deepEqual(
        [...statements].flatMap((sql) => faultsOfPlan(view, sql, stepsOf(database, sql))),
        [],
      );
    });
  }

  it('the pages of a list, one after another, are the whole list', async () => {
    let lists = 0;
    for (const question of viewQuestions) {
      const pages = (await askAll(ask, question)).map(itemsOf);
      if (pages.length < 2 || pages[0] === undefined) continue;
      lists += 1;
      const whole = { ...question, input: { ...Object(question.input), limit: 1_000 } };
      const [all] = (await askAll(ask, whole)).map(itemsOf);
      assert.deepEqual(pages.flat(), all, `${question.view} ${JSON.stringify(question.input)}`);
    }
    assert.ok(lists > 40, `${lists} lists had several pages`);
  });
});

function stepsOf(database: DatabaseSync, sql: string): string[] {
  const plan = database.prepare(`explain query plan ${sql}`).all();
  return plan.map(({ detail }) => String(detail));
}

function itemsOf(answer: unknown): readonly unknown[] | undefined {
  const { value = answer }: { readonly value?: unknown } = { ...Object(answer) };
  const { items }: { readonly items?: unknown } = { ...Object(value) };
  return Array.isArray(items) ? items : undefined;
}

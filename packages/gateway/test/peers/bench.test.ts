import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { missing } from './needs.ts';
import { Shown } from './program.ts';

const bench = join(import.meta.dirname, '..', '..', '..', '..', 'bench', 'run.ts');

describe('the books under load', () => {
  it(
    'answered 200 = charged = submitted = delivered, by the client, the store and the carrier',
    { skip: missing('wrk', 'cc') },
    async (t) => {
      // It ends with a status that is not 0, and this rejects, when the counts differ.
      const { stdout } = await promisify(execFile)(process.execPath, [bench, '--seconds', '3', '--json']);
      const result = new Shown(JSON.parse(stdout));
      const messages = result.number('morsel', '0', 'messages');
      assert.equal(result.at('isGood'), true);
      assert.ok(messages > 0);
      t.diagnostic(
        `${messages} messages in 3 s, ${Math.round(result.number('morsel', '0', 'endToEndPerSecond'))} /s end to end`,
      );
    },
  );
});

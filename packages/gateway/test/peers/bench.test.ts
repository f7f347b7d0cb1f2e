import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { missing } from './needs.ts';
import { Shown } from './program.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'bench');

/** Runs a bench, which ends with a status that is not 0 when anything it looks at does not hold: then this rejects. */
async function bench(name: string, ...options: readonly string[]): Promise<Shown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name), ...options, '--json']);
  const result = new Shown(JSON.parse(stdout));
  assert.equal(result.at('isGood'), true);
  return result;
}

describe('the books under load', () => {
  it(
    'answered 200 = charged = submitted = delivered, by the client, the store and the carrier',
    { skip: missing('wrk', 'cc') },
    async (t) => {
      const result = await bench('run.ts', '--seconds', '3');
      const messages = result.number('morsel', '0', 'messages');
      assert.ok(messages > 0);
      t.diagnostic(
        `${messages} messages in 3 s, ${Math.round(result.number('morsel', '0', 'endToEndPerSecond'))} /s end to end`,
      );
    },
  );

  it(
    'a flood of receipts, half of them of nobody: each is matched or parked, enquire_link answered, memory bounded (D1, D5, P6)',
    { skip: missing('wrk', 'cc') },
    async (t) => {
      const result = await bench('flood.ts', '--seconds', '2', '--rate', '5000');
      assert.equal(result.number('matched'), 5_000);
      assert.equal(result.number('parked'), 5_000);
      t.diagnostic(
        `${Math.round(result.number('acknowledgedPerSecond'))} /s, enquire_link ${result.number('waitMs')} ms at most`,
      );
    },
  );

  it(
    'a carrier that comes back gets all that waited for it, in order for each account and receiver (S1, S6, P6)',
    { skip: missing('wrk', 'cc') },
    async (t) => {
      const result = await bench('backlog.ts', '--messages', '3200');
      assert.equal(result.number('messages'), 3_200);
      assert.equal(result.number('misordered'), 0);
      t.diagnostic(`${Math.round(result.number('drainedPerSecond'))} /s from the queue`);
    },
  );
});

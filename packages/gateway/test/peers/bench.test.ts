/* The benches as tests: their own checks must hold under a short load. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { missing } from './needs.ts';
import { Shown } from '../support/json.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'bench');

/** Runs a bench. It rejects if the bench ends with a status other than 0, because a check failed. */
async function bench(name: string, ...options: readonly string[]): Promise<Shown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'run.ts'), name, ...options, '--json']);
  const result = new Shown(JSON.parse(stdout));
  assert.equal(result.at('isGood'), true);
  assert.ok(perSecond(result) > 0);
  return result;
}

function perSecond(result: Shown): number {
  return Math.round(result.number('sides', '0', 'figures', '0', 'median'));
}

describe('the counts of client, store and carrier under load', () => {
  it('agree over HTTP: answered with 200 = charged = submitted = delivered', { skip: missing('cc') }, async (t) => {
    const result = await bench('http', '--seconds', '1', '--rounds', '1', '--repeats', '0');
    t.diagnostic(`${perSecond(result)} messages a second`);
  });

  it('agree over SMPP: answered with 0 = charged = submitted = delivered', { skip: missing('cc') }, async (t) => {
    const result = await bench('submit', '--seconds', '1', '--rounds', '1', '--repeats', '0');
    t.diagnostic(`${perSecond(result)} submit_sm a second`);
  });
});

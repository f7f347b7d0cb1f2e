/* The benches as tests: their own checks must hold under a short load. */

import assert from 'node:assert/strict';
import { execFile, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { missing } from './needs.ts';
import { Shown } from '../support/json.ts';
import { waitUntil } from '../support/wait-until.ts';

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

  it('agree at a fixed rate, and in the store of the floor', { skip: missing('cc') }, async () => {
    await bench('http', '--floor', '--rate', '200', '--seconds', '1', '--rounds', '1', '--repeats', '0');
  });

  it('agree over SMPP: answered with 0 = charged = submitted = delivered', { skip: missing('cc') }, async (t) => {
    const result = await bench('submit', '--seconds', '1', '--rounds', '1', '--repeats', '0');
    t.diagnostic(`${perSecond(result)} submit_sm a second`);
  });
});

describe('a bench that ends too early', { concurrency: 2 }, () => {
  const rows: readonly (readonly [name: string, options: string, how: NodeJS.Signals | 'exception', status: number])[] =
    [
      ['submit', '--seconds 60', 'SIGTERM', 143],
      ['http', '--seconds 60', 'exception', 1],
    ];
  for (const [name, options, how, status] of rows) {
    it(`by ${how} leaves no process behind (${name})`, { skip: missing('cc') }, async () => {
      const child = execFile(process.execPath, [join(folder, 'run.ts'), name, ...options.split(' ')]);
      const ended = new Promise((resolve) => void child.once('exit', resolve));
      const children = await waitUntil('a gateway, a client and a carrier run', () => {
        const found = childrenOf(child);
        // A child has the name of its parent until its program runs.
        return found.length === 3 && (how !== 'exception' || found.some(isClient)) && found;
      });
      // A bench whose client was killed gets no result, and throws.
      if (how !== 'exception') child.kill(how);
      else for (const { pid } of children.filter(isClient)) process.kill(pid, 'SIGKILL');
      assert.equal(await ended, status);
      await waitUntil('they are gone', () => children.every(({ pid }) => processAt(pid)?.command === undefined));
    });
  }
});

const isClient = ({ command }: Process) => command === 'http_load';

interface Process {
  readonly pid: number;
  readonly command: string;
  readonly parent: number;
}

function childrenOf({ pid: parent }: ChildProcess): Process[] {
  return readdirSync('/proc')
    .flatMap((name) => (/^\d+$/.test(name) ? (processAt(Number(name)) ?? []) : []))
    .filter((each) => each.parent === parent);
}

/** A running process; undefined if it has ended (proc(5), /proc/pid/stat). */
function processAt(pid: number): Process | undefined {
  try {
    const found = /^\d+ \((.*)\) ([^Z]) (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return found ? { pid, command: found[1] ?? '', parent: Number(found[3]) } : undefined;
  } catch {
    return undefined;
  }
}

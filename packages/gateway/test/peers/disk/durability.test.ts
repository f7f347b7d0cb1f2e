/* Traces system calls: an answer follows the fsync of its commit. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Carrier } from '../smpp/carrier.ts';
import { makeFolder, missing } from '../needs.ts';
import { setUpAndStop } from '../set-up.ts';
import { send } from '../send.ts';
import { readTrace, type Call } from './trace.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

const needsStrace = { skip: missing('strace') };

describe('A1: success is answered only after a commit that is on disk', () => {
  it('each 200 follows the fsync of the WAL with its message in it', needsStrace, async (t) => {
    using folder = makeFolder();
    const dataDir = join(folder.path, 'data');
    const traceFile = join(folder.path, 'trace');
    await using carrier = await Carrier.start();
    const { token } = await setUpAndStop(dataDir, carrier);
    const sends = 25;
    {
      const calls = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg,pwrite64,pwritev';
      // Whole pages of the WAL, to find the receiver of a message in them.
      const under = ['strace', '-f', '-yy', '-s', '8192', '-o', traceFile, '-e', calls];
      await using program = await GatewayProcess.start({ dataDir, under });
      for (let number = 0; number < sends; number++) {
        const sent = await send(program, { token, number, text: 'Hello' });
        assert.equal(sent.status, 200);
      }
      await waitUntil('every receipt is acknowledged', () => carrier.acknowledged === sends);
    }
    const trace = readTrace(readFileSync(traceFile, 'latin1'));
    const answers = trace.filter(
      (call) => isSocketWrite(call) && call.arguments.includes('"HTTP/1.1 200') && call.arguments.includes('msgId'),
    );
    assert.equal(answers.length, sends);
    for (const [number, answer] of answers.entries()) {
      const marker = markerOf(number);
      const written = trace.find((call) => isWalWrite(call) && call.arguments.includes(marker));
      assert.ok(written, `${marker} was written into the WAL`);
      const synced = trace.find((call) => isWalSync(call) && call.begin > written.end);
      assert.ok(synced, `the WAL was synced after ${marker}`);
      assert.equal(synced.result, '0');
      assert.ok(synced.end < answer.begin, `the 200 of ${marker} came after the end of the fsync`);
    }
    t.diagnostic(
      `${sends} sends, ${trace.filter(isWalSync).length} fsyncs of the WAL, ${trace.length} calls looked at`,
    );
  });
});

/** The receiver of a message, by which the test finds the message in the WAL: receivers are not encrypted. */
function markerOf(number: number): string {
  return `+4179${String(number).padStart(7, '0')}`;
}

function isWalWrite(call: Call): boolean {
  return ['pwrite64', 'pwritev', 'write', 'writev'].includes(call.name) && /^\d+<[^>]*-wal>/.test(call.arguments);
}

function isWalSync(call: Call): boolean {
  return ['fsync', 'fdatasync'].includes(call.name) && /^\d+<[^>]*-wal>/.test(call.arguments);
}

function isSocketWrite(call: Call): boolean {
  return /^\d+<(TCP|socket)/.test(call.arguments);
}

/* `npm start`: the demo works, and never changes the data of a real gateway. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { claimDemoDirectory } from '@morsel/cli/running/demo-directory.ts';
import { folder, running, start } from '../support/gateway/morsel.ts';
import { program, type Ended } from '../support/gateway/child.ts';
import { toJson } from '../support/json.ts';
import { waitUntil } from '../support/wait-until.ts';

/** An operator's folder, with the data of a stopped gateway in ./data. */
const production = join(folder, 'production');
const productionData = join(production, 'data');
const other = join(folder, 'other');
/** The environment of `npm start`, in which the demo chooses its data directory. */
const unset = { MORSEL_DATA_DIR: undefined };
const eventMs = 20_000;

/** Everything that `npm start` must not change: names, octets, modes and times of all files and of the folder. */
function stateOf(path: string): readonly unknown[] {
  return ['.', ...readdirSync(path, { recursive: true, encoding: 'utf8' })].toSorted().map((name) => {
    const file = join(path, name);
    const { mtimeNs, ctimeNs, mode } = statSync(file, { bigint: true });
    return [name, mtimeNs, ctimeNs, mode, statSync(file).isFile() ? readFileSync(file).toString('base64') : ''];
  });
}

/** Runs a pasted line in a shell in the operator's folder. The gateway's program stands in for `npm run`. */
function paste(line: string): Pick<Ended, 'status' | 'out' | 'errors'> {
  const here = line.replace('npm run -s morsel --', `"${process.execPath}" "${program}"`);
  const { MORSEL_DATA_DIR: _unset, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', here], { cwd: production, encoding: 'utf8', env });
  return { status, out: stdout, errors: stderr };
}

before(async () => {
  mkdirSync(production);
  const gateway = await running(['serve'], { environment: unset, cwd: production });
  assert.equal(paste('npm run -s morsel -- account add shop --currency EUR --balance 100').status, 0);
  assert.equal((await gateway.stop()).status, 0);
  mkdirSync(other);
  writeFileSync(join(other, 'notes.txt'), 'mine\n');
});

describe('the demo', () => {
  it('sends at once, and starts again with another token and another port', async () => {
    let earlier = '';
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const demo = await running(['demo']);
      const { httpPort, token } = demo.ready;
      const body = JSON.stringify({
        auth: token,
        sender: 'Morsel',
        receiver: '+41791112233',
        text: 'Hello',
        dcs: 'SMS',
      });
      const url = `http://127.0.0.1:${String(httpPort)}/sms`;
      const sent = toJson(await (await fetch(`${url}/send`, { method: 'POST', body })).json());
      const dlr = `${url}/dlr?auth=${String(token)}&messageId=${String(sent['msgId'])}`;
      let event: unknown;
      for (const deadline = Date.now() + eventMs; Date.now() < deadline && event !== 'delivered';) {
        event = toJson(await (await fetch(dlr)).json())['event'];
      }
      assert.equal(event, 'delivered');
      if (earlier !== '') assert.equal((await fetch(`${url}/balance?auth=${earlier}`)).status, 401);
      earlier = String(token);
      assert.equal((await demo.stop(signal)).status, 0);
    }
  });

  it('changes no data of a real gateway beside it, and the commands that it prints work when pasted', async () => {
    const earlier = stateOf(productionData);
    const child = start(['demo'], { environment: unset, cwd: production });
    await waitUntil('it has printed all', () => child.out.includes('9960') || child.isEnded);
    const text = child.out;
    assert.match(
      text,
      /^DEMO: nothing leaves this machine\. Messages go to a simulated carrier, on 127\.0\.0\.1:\d+\.\n/,
    );
    const [send = '', report = '', show = ''] = [...text.matchAll(/^ {2}((?:curl|MORSEL_DATA_DIR=).*)$/gm)].map(
      ([, line]) => line,
    );
    const sent = paste(send);
    const msgId = /"msgId":"(\d+)"/.exec(sent.out)?.[1] ?? '';
    assert.match(paste(report.replace('MSGID', msgId)).out, /"event":"/, sent.out);
    assert.match(show, /^MORSEL_DATA_DIR=\.\/demo-data npm run -s morsel -- message show MSGID$/);
    const shown = paste(show.replace('MSGID', msgId));
    assert.deepEqual([shown.status, shown.errors], [0, '']);
    const unsaid = paste('npm run -s morsel -- account list');
    assert.equal(unsaid.status, 3);
    assert.match(unsaid.errors, /\/data: start one with .*; to use the demo, set MORSEL_DATA_DIR=\.\/demo-data\n$/);
    assert.equal((await child.stop()).status, 0);
    assert.deepEqual(stateOf(productionData), earlier);
  });

  it('refuses a directory with any file that is not its own, and changes nothing in it', async () => {
    const earlier = stateOf(other);
    const { status, errors } = await start(['demo'], { environment: { MORSEL_DATA_DIR: other } }).ended;
    assert.equal(status, 1);
    assert.match(
      errors,
      /^morsel: the demo does not use \S+: the directory has files that are not the demo's; unset MORSEL/,
    );
    assert.deepEqual(stateOf(other), earlier);
  });

  it('has a directory that serve refuses, and does not change', async () => {
    const demos = join(folder, 'demos');
    assert.equal(claimDemoDirectory(demos).ok, true);
    const earlier = stateOf(demos);
    const { status, errors } = await start(['serve'], { environment: { MORSEL_DATA_DIR: demos } }).ended;
    assert.equal(status, 1);
    assert.equal(
      errors,
      `morsel: ${demos} belongs to the demo (npm start), whose messages go to a simulated carrier: set MORSEL_DATA_DIR to another directory\n`,
    );
    assert.deepEqual(stateOf(demos), earlier);
  });
});

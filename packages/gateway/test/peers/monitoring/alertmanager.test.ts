import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parseRange } from '@morsel/api/values/address-range.ts';
import type { AlarmNotice } from '../../../src/core/alarm/notice.ts';
import { notifyReceiver } from '../../../src/edge/alarm/notify-receiver.ts';
import { Shown } from '../../support/json.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { makeFolder, missing } from '../needs.ts';
import { PeerProcess } from '../peer-process.ts';
import { freePort } from '../set-up.ts';
import { machineClock } from '../../../src/runtime/clock.ts';

it(
  'Alertmanager shows an alarm until it closes, and a test alarm for some minutes',
  { skip: missing('prometheus-alertmanager') },
  async () => {
    using folder = makeFolder();
    const port = await freePort();
    writeFileSync(join(folder.path, 'am.yml'), 'route: {receiver: none}\nreceivers: [{name: none}]\n');
    const words = [
      `--config.file=${folder.path}/am.yml`,
      `--storage.path=${folder.path}/data`,
      '--cluster.listen-address=',
    ];
    await using peer = new PeerProcess(
      ['prometheus-alertmanager', ...words, `--web.listen-address=127.0.0.1:${port}`],
      'stderr',
    );
    const url = `http://127.0.0.1:${port}`;
    await waitUntil(
      () => `Alertmanager is ready: ${peer.lines.at(-1)}`,
      async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok,
    );
    const shown = async () => new Shown(await (await fetch(`${url}/api/v2/alerts`)).json());
    const loopback = parseRange('127.0.0.0/8') ?? assert.fail();
    const none = { server: null, user: null, sender: null, account: null, secret: null, allow: [loopback] };
    const receiver = { name: 'am', kind: 'alertmanager', to: url, ...none } as const;
    const now = Date.now();
    const opened: AlarmNotice = {
      id: 'alarm-7-opened',
      turn: 'opened',
      kind: 'carrier-down',
      severity: 'critical',
      subject: 'alpha',
      evidence: 'no link of alpha is bound',
      help: 'morsel carrier rebind alpha',
      openedAt: now - 60_000,
      closedAt: null,
    };
    const tell = async (notice: AlarmNotice) => {
      const needs = { clock: { ...machineClock, now: () => now } };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only an SMS needs the rest
      const told = await notifyReceiver(needs as Parameters<typeof notifyReceiver>[0], receiver, [notice]);
      assert.deepEqual(told, { isTaken: true, detail: 'HTTP 200' });
    };
    await tell(opened);
    assert.equal((await shown()).text('0', 'annotations', 'description'), opened.help);
    await tell({ ...opened, turn: 'closed', closedAt: now });
    assert.deepEqual((await shown()).at(), []);
    await tell({ ...opened, kind: 'test', openedAt: now });
    assert.equal(Date.parse((await shown()).text('0', 'endsAt')), now + 300_000);
  },
);

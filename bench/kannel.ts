/* Runs Kannel with the same load as the gateway, for comparison. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';
import { freePort } from '../packages/gateway/test/peers/set-up.ts';
import { makeFolder, measurePeer, type Options, type Round, type Side } from './harness.ts';
import { Sink } from './sink.ts';
import { waitUntil } from '../packages/gateway/test/support/wait-until.ts';

const startMaxMs = 20_000;
/** smsbox accepts requests before bearerbox is bound to its carrier, so both programs get a moment before the load. */
const settleMs = 2_000;

export const kannelPrograms = ['bearerbox', 'smsbox'];

export function kannelSide(options: Options): Side {
  return { name: 'Kannel', measure: () => measureKannel(options), isPeer: true };
}

/**
 * One round of bearerbox and smsbox, with a store file that Kannel writes but never syncs. Requests, connections,
 * duration and carrier are those of the gateway's round.
 */
async function measureKannel(options: Options): Promise<Round> {
  await using folder = makeFolder();
  await using sink = await Sink.start();
  const ports = { admin: await freePort(), smsbox: await freePort(), sendsms: await freePort(), sink: sink.port };
  const conf = join(folder.path, 'kannel.conf');
  const template = readFileSync(join(import.meta.dirname, 'kannel.conf'), 'utf8');
  const ported = new Map<string, number>(Object.entries(ports));
  writeFileSync(
    conf,
    template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ported.get(name))),
  );

  await using boxes = new AsyncDisposableStack();
  const start = async (name: string, port: number) =>
    boxes.use(await startBox(name, { conf, folder: folder.path, port })).pid;
  const pids = [await start('bearerbox', ports.smsbox), await start('smsbox', ports.sendsms)];
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const load = { ...options, gateway: 'kannel', port: ports.sendsms, tokens: ['t'] } as const;
  return await measurePeer({ pids, sink, load });
}

async function startBox(
  name: string,
  { conf, folder, port }: { conf: string; folder: string; port: number },
): Promise<AsyncDisposable & { readonly pid: number }> {
  const child = endsWithUs(spawn(name, ['-v', '4', conf], { cwd: folder, stdio: 'ignore' }));
  const box = { pid: child.pid ?? 0, [Symbol.asyncDispose]: () => end(child) };
  await using starting = new AsyncDisposableStack();
  starting.use(box);
  await waitUntil(`${name} listens`, () => canConnect(port), startMaxMs);
  starting.move();
  return box;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'close');
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

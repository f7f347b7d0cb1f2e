/** `npm run bench -- deliver`. The constant `help` describes the benchmark and its options. */
import type { Command } from '../packages/gateway/src/store/commands.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startGateway } from '@morsel/gateway/app.ts';
import type { Gateway } from '@morsel/gateway/app.ts';
import { readConfig } from '@morsel/gateway/config.ts';
import { nextMessageId } from '@morsel/gateway/core/base/message-id.ts';
import { operatorCalls } from '@morsel/gateway/edge/admin/handlers.ts';
import { makeLog } from '@morsel/gateway/runtime/log.ts';
import { makeFolder } from './folder.ts';
import { acceptCommand, idsOf, outcomeCommand, receiptCommand, setUpCommands } from './message.ts';
import type { Moment } from './message.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Say, Trial } from './trial.ts';

const help = `Measures how many receipts a second are delivered to bound sessions, from the commit to the acknowledgement.

  npm run bench -- deliver [--receipts 50000] [--sessions 4] [--window 100] [--json]

  --receipts N  receipts, which come as fast as they are committed (default: 50000)
  --sessions N  sessions of one account (default: 4)
  --window N    unanswered deliver_sm in each session (default: 100)
  --json        prints one JSON value

A carrier has a client's messages, and sends their receipts. The client, which is a separate process, gets a deliver_sm
for each receipt. A run without a bound session comes first: the difference is the cost of delivery.
`;

type Option = 'receipts' | 'sessions' | 'window';
const trial: Trial<Option> = { help, options: { receipts: 50_000, sessions: 4, window: 100 }, programs: [], run };

/** Commands in flight, as many as with a fast carrier. */
const underWay = 1_000;

interface Measured {
  readonly perSecond: number;
  /** Microseconds of CPU a receipt: `loop` on the event loop, `cpu` on all threads. */
  readonly loop: number;
  readonly cpu: number;
}

async function measure(
  total: number,
  { sessions, window, isTold }: { sessions: number; window: number; isTold: boolean },
): Promise<Measured> {
  await using folder = makeFolder();
  const config = readConfig({
    MORSEL_DATA_DIR: folder.path,
    MORSEL_HTTP_PORT: '0',
    MORSEL_ADMIN_PORT: '0',
    MORSEL_SMPP_PORT: '0',
  });
  if (!config.ok) throw new Error(config.error);
  const gateway = await startGateway(config.value, { log: makeLog('silent') });
  const { operator } = gateway;
  for (const command of setUpCommands.slice(1)) await operator.journal.append(command);
  await operator.reloadSnapshot();
  const set = await operatorCalls(operator).account.set({ account: 'acme', smppWindow: window });
  if (!set.ok) throw new Error(set.error.code);
  const login = await operatorCalls(operator).login.add({ account: 'acme', systemId: 'acme', password: 'secret' });
  if (!login.ok) throw new Error(login.error.code);
  const settings = await operator.reader.ask('settings', Date.now());
  if (!settings.ok) throw new Error('the store cannot be read');
  const ids = idsOf(settings.value, 1);
  const at = Date.now();
  let id = nextMessageId(0, at, 0);
  const moments = Array.from({ length: total }, (_none, index): Moment => {
    id = nextMessageId(id, at, 0);
    return { id, at, receiver: `+4178${String(index % 10_000_000).padStart(7, '0')}` };
  });
  const registered = isTold ? { registered: 1 } : {};
  await keep(
    gateway,
    moments.map((moment) => ({ ...acceptCommand(ids, moment), ...registered, source: 'smpp' as const })),
  );
  await keep(
    gateway,
    moments.map((moment) => outcomeCommand(ids, moment)),
  );
  const client = fork(join(import.meta.dirname, 'deliver-client.ts'), [String(gateway.smppPort), String(sessions)]);
  const { promise: all, resolve } = Promise.withResolvers<void>();
  client.on('message', ({ told }: { readonly told: number }) => {
    if (!isTold || told >= total) resolve();
  });
  await once(client, 'message');
  const before = { at: performance.now(), cpu: process.cpuUsage(), loop: performance.eventLoopUtilization() };
  await keep(
    gateway,
    moments.map((moment) => receiptCommand(ids, moment)),
  );
  await all;
  const ms = performance.now() - before.at;
  const { user, system } = process.cpuUsage(before.cpu);
  const { active } = performance.eventLoopUtilization(before.loop);
  client.disconnect();
  await once(client, 'exit');
  await gateway.stop();
  return { perSecond: (total / ms) * 1_000, loop: (active * 1_000) / total, cpu: (user + system) / total };
}

async function keep({ operator }: Gateway, commands: readonly Command[]): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    for (let command = commands[next++]; command !== undefined; command = commands[next++]) {
      const kept = await operator.journal.append(command);
      if (!kept.ok) throw new Error('the store refused a command');
    }
  };
  await Promise.all(Array.from({ length: underWay }, one));
}

async function run({ receipts, sessions, window }: Readonly<Record<Option, number>>, say: Say) {
  say(`${receipts} receipts, ${sessions} sessions with a window of ${window}`);
  const untold = await measure(receipts, { sessions, window, isTold: false });
  const told = await measure(receipts, { sessions, window, isTold: true });
  return {
    figures: [
      figureOf('toldPerSecond', 'receipts told and acknowledged', told.perSecond, '/s'),
      figureOf('loopMicroseconds', 'event loop a receipt', told.loop, 'us'),
      figureOf('cpuMicroseconds', 'CPU a receipt, all threads', told.cpu, 'us'),
      figureOf('untoldPerSecond', 'the same with nobody to tell', untold.perSecond, '/s'),
      figureOf('untoldCpuMicroseconds', 'CPU a receipt, all threads, with nobody to tell', untold.cpu, 'us'),
    ],
    faults: [],
  };
}

process.exitCode = await runTrial(trial, process.argv.slice(2));

/* One round of the gateway under the load of `http`: starts it, loads it, and collects its figures. */

import { setUp } from '../packages/gateway/test/peers/set-up.ts';
import { compare, readSettledBooks } from './books.ts';
import { makeFolder } from './folder.ts';
import { warmUpSeconds } from './measured.ts';
import type { Measured, RoundSettings } from './measured.ts';
import { Sink } from './sink.ts';
import { usageOf } from './usage.ts';
import { runWrk } from './wrk.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';

/** A prepared data directory, and what a client and a carrier need to use it. */
export interface Prepared {
  readonly dataDir: string;
  readonly token: string;
  /** The port on which the gateway expects the carrier. */
  readonly carrierPort: number;
}

export const windowMax = 1_000;

/** One round on an empty store. */
export async function measureFresh(settings: RoundSettings): Promise<Measured> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  return await measure({ program, sink, token, settings });
}

/** One round on a filled store. */
export async function measurePrepared(prepared: Prepared, settings: RoundSettings): Promise<Measured> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path, prepared.carrierPort);
  await using program = await GatewayProcess.start({ dataDir: prepared.dataDir });
  return await measure({ program, sink, token: prepared.token, settings });
}

interface Round {
  readonly program: GatewayProcess;
  readonly sink: Sink;
  readonly token: string;
  readonly settings: RoundSettings;
}

async function measure({ program, sink, token, settings }: Round): Promise<Measured> {
  const load = { ...settings, gateway: 'morsel', port: program.httpPort, token } as const;
  const warm = await runWrk({ ...load, seconds: warmUpSeconds });
  await sink.has(warm.answered);
  await sink.countAnew();
  const before = await look(program);
  const answers = await runWrk(load);
  await sink.has(answers.answered);
  const after = await look(program);
  const counts = await sink.stop();
  await program.stop();

  const { seconds } = settings;
  return {
    acceptedPerSecond: answers.answered / seconds,
    endToEndPerSecond: counts.acks / counts.seconds,
    p50Ms: answers.p50Ms,
    p99Ms: answers.p99Ms,
    messages: answers.answered,
    own: {
      // Each group needs one fsync.
      fsyncsPerSecond: (after.groups - before.groups) / counts.seconds,
      peakResidentBytes: after.usage.peakResidentBytes,
      cpuMicrosecondsPerMessage: (after.usage.cpuMicroseconds - before.usage.cpuMicroseconds) / answers.answered,
    },
    faults: compare({ answers, counts, before: before.books, after: after.books }),
  };
}

async function look(program: GatewayProcess) {
  const usage = usageOf(program.pid);
  const status = await program.ask('v1/status');
  return { usage, groups: status.number('store', 'groups'), books: await readSettledBooks(program, ['acme']) };
}

/**
 * Question `http`: messages over HTTP to a carrier, and their receipts back. With `--peer` Kannel gets the same load,
 * and with `--floor` a program without the work of a gateway.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setUp } from '../packages/gateway/test/peers/set-up.ts';
import { Child } from '../packages/gateway/test/support/gateway/child.ts';
import {
  checkoutsOf,
  makeFolder,
  measure,
  measurePeer,
  sendHttp,
  startGateway,
  windowMax,
  type Checkout,
  type Options,
  type Question,
  type Round,
} from './harness.ts';
import { kannelPrograms, kannelSide } from './kannel.ts';
import { Sink } from './sink.ts';

export const question: Question = {
  options: ['seconds', 'rounds', 'repeats', 'connections', 'rate', 'peer', 'floor', 'against'],
  programs: ({ peer }) => ['cc', ...(peer ? kannelPrograms : [])],
  sides: (options) => [
    ...checkoutsOf(options).map((checkout) => ({
      name: checkout.name,
      measure: () => measureHttp(checkout, options),
    })),
    ...(options.peer ? [kannelSide(options)] : []),
    ...(options.floor ? [{ name: 'the floor', measure: () => measureFloor(options) }] : []),
  ],
};

export async function measureHttp(checkout: Checkout, options: Options): Promise<Round> {
  await using folder = makeFolder();
  await using sink = await Sink.start();
  await using program = await startGateway(checkout, { dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  const load = { ...options, gateway: 'morsel', port: program.httpPort, tokens: [token] } as const;
  const send = (seconds: number) => sendHttp({ ...load, seconds });
  return await measure({ programs: [program], sink, seconds: options.seconds, send });
}

/** One round of floor.ts, the same input and output without the work of a gateway. */
async function measureFloor(options: Options): Promise<Round> {
  await using folder = makeFolder();
  await using sink = await Sink.start();
  const store = join(folder.path, 'floor.db');
  await using floor = new Child([store, String(sink.port)], { file: join(import.meta.dirname, 'floor.ts') });
  const { ready, pid } = await floor.untilReady();
  const load = { ...options, gateway: 'morsel', port: Number(ready['port']), tokens: ['t'] } as const;
  const { figures, faults, messages } = await measurePeer({ pids: [pid], sink, load });
  await floor.kill();
  using database = new DatabaseSync(store, { readOnly: true });
  const delivered = Number(
    database.prepare(`select count(*) as n from message where state = 'delivered'`).get()?.['n'],
  );
  return {
    figures,
    faults: [...faults, ...(delivered === messages ? [] : [`${delivered} stored, but ${messages} were answered`])],
  };
}

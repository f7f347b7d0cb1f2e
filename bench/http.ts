/** Question `http`: messages over HTTP to a carrier, and their receipts back. With `--peer` Kannel gets the same load. */
import { setUp } from '../packages/gateway/test/peers/set-up.ts';
import {
  checkoutsOf,
  loadPrograms,
  makeFolder,
  measure,
  runWrk,
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
  options: ['seconds', 'rounds', 'connections', 'rate', 'peer', 'against'],
  programs: ({ peer }) => [...loadPrograms, ...(peer ? kannelPrograms : [])],
  sides: (options) => [
    ...checkoutsOf(options).map((checkout) => ({
      name: checkout.name,
      measure: () => measureHttp(checkout, options),
    })),
    ...(options.peer ? [kannelSide(options)] : []),
  ],
};

export async function measureHttp(checkout: Checkout, options: Options): Promise<Round> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using program = await startGateway(checkout, { dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  const load = { ...options, gateway: 'morsel', port: program.httpPort, tokens: [token] } as const;
  const send = (seconds: number) => runWrk({ ...load, seconds });
  return await measure({ programs: [program], sink, seconds: options.seconds, send });
}

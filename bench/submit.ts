/** Question `submit`: submit_sm of clients over four sessions; each is committed before its answer. */
import { join } from 'node:path';
import { setUp } from '../packages/gateway/test/peers/set-up.ts';
import {
  checkoutsOf,
  makeFolder,
  measure,
  runClient,
  startGateway,
  windowMax,
  type Checkout,
  type Question,
  type Round,
} from './harness.ts';
import { Sink } from './sink.ts';

const sessions = 4;
const window = 100;

export const question: Question = {
  options: ['seconds', 'rounds', 'repeats', 'against'],
  programs: () => ['cc'],
  sides: (options) =>
    checkoutsOf(options).map((checkout) => ({
      name: checkout.name,
      measure: () => measureSubmit(checkout, options.seconds),
    })),
};

async function measureSubmit(checkout: Checkout, seconds: number): Promise<Round> {
  await using folder = makeFolder();
  await using sink = await Sink.start();
  await using program = await startGateway(checkout, { dataDir: folder.path });
  await setUp(program, { port: sink.port, window: windowMax });
  await program.morsel('account', 'set', 'acme', '--smpp-binds', String(sessions), '--smpp-window', String(window));
  const login = await program.morsel('smpp-login', 'add', 'acme');
  const client = [join(import.meta.dirname, 'submit-load.ts'), program.smppPort, login.text('password')];
  const send = (each: number) => runClient(process.execPath, [...client, sessions, window, each]);
  return await measure({ programs: [program], sink, seconds, send });
}

/** Question `webhook`: inbound messages to one webhook, which answers each request after 5 ms. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';
import type { GatewayProcess } from '../packages/gateway/test/support/gateway/gateway-process.ts';
import { Shown } from '../packages/gateway/test/support/json.ts';
import { untilBound } from '../packages/gateway/test/peers/set-up.ts';
import {
  checkoutsOf,
  figure,
  makeFolder,
  startGateway,
  usageOf,
  warmUpSeconds,
  type Checkout,
  type Question,
  type Round,
} from './harness.ts';

/** The least share of a given rate that the carrier must reach: its timer is not exact. */
const keptMin = 0.97;

export const question: Question = {
  options: ['seconds', 'rounds', 'rate', 'against'],
  programs: () => [],
  sides: (options) =>
    checkoutsOf(options).map((checkout) => ({
      name: checkout.name,
      measure: () => measureWebhook(checkout, options.seconds, options.rate),
    })),
};

async function measureWebhook(checkout: Checkout, seconds: number, rate: number): Promise<Round> {
  await using folder = makeFolder();
  const peers = endsWithUs(fork(join(import.meta.dirname, 'webhook-load.ts')));
  const said = async () => new Shown((await once(peers, 'message'))[0]);
  const ports = await said();
  await using program = await startGateway(checkout, { dataDir: folder.path });
  await setUp(program, ports.number('carrierPort'), ports.number('webhookPort'));
  const load = (each: number) => {
    const counts = said();
    peers.send({ rate, seconds: each });
    return counts;
  };
  await load(warmUpSeconds);
  const before = usageOf(program.pid);
  const counts = await load(seconds);
  const after = usageOf(program.pid);
  await program.stop();
  peers.disconnect();
  const delivered = counts.number('distinct');
  const perSecond = delivered / counts.number('seconds');
  return {
    figures: [
      figure('deliveredPerSecond', 'delivered', '/s', perSecond),
      figure('behind', 'acknowledged, not yet delivered, at most', '', counts.number('behind')),
      figure('connections', 'connections to the webhook', '', counts.number('connections')),
      figure('peakMiB', 'memory, peak', 'MiB', after.peakMiB),
      figure('cpuMicroseconds', 'CPU a message', 'us', (after.cpu - before.cpu) / delivered),
    ],
    faults: [
      ...mustBe('messages delivered', delivered, counts.number('acknowledged')),
      ...mustBe('messages delivered twice', counts.number('requests') - delivered, 0),
      ...mustBe('messages refused', counts.number('refused'), 0),
      ...(perSecond >= rate * keptMin ? [] : [`the rate was not kept: ${Math.round(perSecond)} and not ${rate}`]),
    ],
  };
}

async function setUp(program: GatewayProcess, carrierPort: number, webhookPort: number): Promise<void> {
  await program.morsel('account', 'add', 'acme', '--currency', 'EUR');
  await program.morsel('number', 'add', '+41791112233', '--account', 'acme');
  await program.morsel('webhook', 'add', 'acme', `http://127.0.0.1:${webhookPort}/sms`, '--allow', '127.0.0.1');
  const address = ['--host', '127.0.0.1', '--port', String(carrierPort)];
  await program.morsel('carrier', 'add', 'phones', ...address, '--system-id', 'us', '--password', 'secret');
  await untilBound(program);
}

function mustBe(what: string, found: number, expected: number): string[] {
  return found === expected ? [] : [`${what}: ${found} and not ${expected}`];
}

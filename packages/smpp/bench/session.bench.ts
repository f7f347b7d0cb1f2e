import { performance } from 'node:perf_hooks';
import { connect, listen, statuses } from '../src/index.ts';

/**
 * Measures round trips of submit_sm between a client and a server in this one thread, over loopback. On its carrier
 * link, a gateway does one half of this work.
 *
 * node packages/smpp/bench/session.bench.ts [messages] [window]
 */

const [messages = 400_000, windowMax = 100] = process.argv.slice(2).map(Number);
const ok = statuses.ESME_ROK;

await using server = await listen({
  port: 0,
  host: '127.0.0.1',
  system_id: 'bench',
  peerWindowMax: 10_000,
  authenticate: async () => {
    let message_id = 0;
    return {
      kind: 'admitted',
      handlers: () => ({ onRequest: (_pdu, respond) => void respond(ok, { message_id: String(++message_id) }) }),
    };
  },
});

await using session = await connect({
  host: '127.0.0.1',
  port: server.port,
  bind: { command: 'bind_transceiver', system_id: 'bench', password: 'bench' },
  windowMax,
  onRequest: (_pdu, respond) => void respond(ok),
});

const short_message = new TextEncoder().encode('Your code is 123456. It is good for ten minutes. '.repeat(2));
let left = messages;

async function work(): Promise<void> {
  while (left-- > 0) {
    const answer = await session.request({
      command: 'submit_sm',
      source_addr_ton: 5,
      source_addr: 'Morsel',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: `4670${1_000_000 + left}`,
      registered_delivery: 1,
      short_message,
    });
    if (answer.kind !== 'answered' || answer.pdu.command_status !== ok) throw new Error(answer.kind);
  }
}

async function run(count: number): Promise<number> {
  left = count;
  const start = performance.now();
  await Promise.all(Array.from({ length: windowMax }, work));
  return (performance.now() - start) / 1000;
}

await run(Math.min(messages, 50_000));
const cpu = process.cpuUsage();
const seconds = await run(messages);
const { user, system } = process.cpuUsage(cpu);
const perMessage = (user + system) / messages;
process.stdout.write(
  `${messages} submit_sm, window ${windowMax}: ${Math.round(messages / seconds)} round trips/s, ` +
    `${perMessage.toFixed(1)} µs of CPU each for both ends, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB\n`,
);

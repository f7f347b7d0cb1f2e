/**
 * The load of question `webhook`, in its own process: a carrier that sends inbound messages at a fixed rate or as fast
 * as the client gets them, and this client. The process reports its two ports. For each order it reports the counts, at the latest when no
 * message has come for some seconds.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Session } from '@morsel/smpp';

const windowMax = 2_000;
/** The most messages that the client has not got yet. A carrier without a rate then waits. */
const behindMax = 1_000;
const everyMs = 10;
const stalledMs = 10_000;
const answerAfterMs = 5;
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const idPattern = /webhook-id: (\S+)/;
const lengthPattern = /content-length: (\d+)/;

const counts = { acknowledged: 0, refused: 0, requests: 0, connections: 0, behind: 0 };
const ids = new Set<string>();
let sent = 0;
let underWay = 0;
let lastAt = 0;

const webhook = createServer((socket) => {
  counts.connections += 1;
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  let held = '';
  socket.on('data', (chunk) => {
    held = take(socket, held + chunk.toString('latin1'));
  });
});

/**
 * Answers the complete requests in a text, and returns the rest. It needs little CPU, and reads only requests with a
 * length.
 */
function take(socket: Socket, text: string): string {
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return rest;
    const length = end + 4 + Number(lengthPattern.exec(rest)?.[1] ?? 0);
    if (rest.length < length) return rest;
    counts.requests += 1;
    ids.add(idPattern.exec(rest)?.[1] ?? '');
    lastAt = performance.now();
    setTimeout(() => socket.write(answer), answerAfterMs);
    rest = rest.slice(length);
  }
}

async function deliver(session: Session, number: number): Promise<void> {
  underWay += 1;
  const said = await session.request({
    command: 'deliver_sm',
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: String(41_790_000_000 + (number % 1_000_000)),
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: '41791112233',
    short_message: Buffer.from(`Message ${number} from a phone, as long as most of them are`, 'latin1'),
  });
  underWay -= 1;
  if (said.kind === 'answered' && said.pdu.command_status === 0) counts.acknowledged += 1;
  else counts.refused += 1;
  counts.behind = Math.max(counts.behind, counts.acknowledged - counts.requests);
}

/**
 * Sends inbound messages, without waiting for answers as long as the window has room. With a rate of 0, it sends as fast
 * as the client gets them.
 */
async function load(session: Session, rate: number, seconds: number): Promise<void> {
  Object.assign(counts, { acknowledged: 0, refused: 0, requests: 0, behind: 0 });
  ids.clear();
  sent = 0;
  const begun = (lastAt = performance.now());
  for (let isOver = false; !isOver || underWay > 0;) {
    const passed = Math.min(seconds, (performance.now() - begun) / 1_000);
    isOver = passed === seconds;
    const due = rate > 0 ? Math.floor(passed * rate) : isOver ? sent : counts.requests + behindMax;
    while (sent < due && underWay < windowMax) void deliver(session, sent++);
    isOver &&= sent >= due;
    await sleep(everyMs);
  }
  while (counts.requests < counts.acknowledged && performance.now() - lastAt < stalledMs) await sleep(everyMs);
  process.send?.({ ...counts, distinct: ids.size, seconds: (lastAt - begun) / 1_000 });
}

const carrier = await listen({
  port: 0,
  host: '127.0.0.1',
  system_id: 'phones',
  windowMax,
  peerWindowMax: windowMax,
  authenticate: async () => ({ kind: 'admitted', handlers: () => ({ onRequest: (_pdu, respond) => respond(0) }) }),
});
process.on('message', ({ rate, seconds }: { rate: number; seconds: number }) => {
  const [session] = carrier.sessions;
  if (!session) throw new Error('the gateway is not bound');
  void load(session, rate, seconds);
});
process.on('disconnect', () => process.exit(0));
await once(webhook.listen(0, '127.0.0.1'), 'listening');
const address = webhook.address();
process.send?.({ carrierPort: carrier.port, webhookPort: typeof address === 'object' ? address?.port : 0 });

import { listen } from '@morsel/smpp';
import type { Session } from '@morsel/smpp';

/*
 * A carrier for `npm run bench -- webhook`, in a separate process. The carrier sends inbound messages at a fixed
 * rate. It does not wait for answers, as long as its window has room.
 */

interface Order {
  readonly rate: number;
  readonly seconds: number;
}

const windowMax = 2_000;
const everyMs = 10;
const reportEveryMs = 100;

let sent = 0;
let acknowledged = 0;
let refused = 0;
let underWay = 0;
let ordersDone = 0;

const server = await listen({
  port: 0,
  host: '127.0.0.1',
  system_id: 'phones',
  windowMax,
  peerWindowMax: windowMax,
  authenticate: async () => ({ kind: 'admitted', handlers: () => ({ onRequest: (_pdu, respond) => respond(0) }) }),
});

async function deliver(session: Session, number: number): Promise<void> {
  underWay += 1;
  const answer = await session.request({
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
  if (answer.kind === 'answered' && answer.pdu.command_status === 0) acknowledged += 1;
  else refused += 1;
}

const tell = (what: object) => process.send?.(what);

process.on('message', ({ rate, seconds }: Order) => {
  const [session] = server.sessions;
  if (!session) throw new Error('nobody is bound');
  const begun = performance.now();
  const wanted = sent + rate * seconds;
  const before = sent;
  const timer = setInterval(() => {
    const due = Math.min(wanted, before + Math.floor(((performance.now() - begun) / 1_000) * rate));
    while (sent < due && underWay < windowMax) void deliver(session, sent++);
    if (sent < wanted || underWay > 0) return;
    clearInterval(timer);
    ordersDone += 1;
    report();
  }, everyMs);
});

const report = () => tell({ sent, acknowledged, refused, ordersDone });
setInterval(report, reportEveryMs).unref();
process.on('disconnect', () => process.exit(0));
tell({ port: server.port });

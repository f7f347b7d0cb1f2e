/**
 * Client over SMPP for `npm run bench -- submit`: `submit-load.ts PORT PASSWORD SESSIONS WINDOW SECONDS`. Each session
 * keeps its window full of submit_sm. Prints its counts as `http_load.c` does.
 */
import { connect, type Answer, type Session } from '@morsel/smpp';

const [port = 0, password = '', sessions = 0, windowMax = 0, seconds = 0] = process.argv
  .slice(2)
  .map((word, place) => (place === 1 ? word : Number(word)));

/** One of this many waits is stored. That is enough for a percentile, and costs little compared with the load. */
const sampledEvery = 16;
const receiversMax = 9_000_000;
const short_message = Buffer.from('Your code is 123456. It is valid for five minutes.');

const counts = { sent: 0, answered: 0, refused: 0, broken: 0 };
const waits: number[] = [];
let isOver = false;

function hear(answer: Answer<'submit_sm'>, sentAt: number): void {
  if (answer.kind !== 'answered') counts.broken += 1;
  else if (answer.pdu.command_status === 0) counts.answered += 1;
  else counts.refused += 1;
  if (counts.answered % sampledEvery === 0) waits.push(performance.now() - sentAt);
}

function fill(session: Session): void {
  if (isOver) return;
  while (session.room > 0) {
    const sentAt = performance.now();
    counts.sent += 1;
    session.ask(
      {
        command: 'submit_sm',
        source_addr_ton: 5,
        source_addr: 'Morsel',
        dest_addr_ton: 1,
        dest_addr_npi: 1,
        destination_addr: `4179${1_000_000 + (counts.sent % receiversMax)}`,
        short_message,
      },
      (answer) => {
        hear(answer, sentAt);
        fill(session);
      },
    );
  }
}

const bound = await Promise.all(
  Array.from({ length: Number(sessions) }, () =>
    connect({
      host: '127.0.0.1',
      port: Number(port),
      windowMax: Number(windowMax),
      bind: { command: 'bind_transmitter', system_id: 'acme', password: String(password) },
      onRequest: (_pdu, respond) => void respond(0),
    }),
  ),
);
for (const session of bound) fill(session);
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1_000));
isOver = true;
await Promise.all(bound.map((session) => session.unbind()));
waits.sort((one, another) => one - another);
const [p50, p99] = [0.5, 0.99].map((share) => 1_000 * (waits[Math.floor(waits.length * share)] ?? 0));
process.stdout.write(`RESULT ${JSON.stringify({ ...counts, p50, p99 })}\n`);

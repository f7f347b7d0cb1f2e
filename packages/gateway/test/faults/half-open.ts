import { Cable } from '../nodes/cable.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runFault, type Outcome } from './script.ts';
import { World } from './world.ts';

const about = `Half-open connections: under load, a proxy swallows all that comes on the connections of links and of a session, and ends
none of them. The gateway notices it by enquire_link within its time, connects again, and nothing is lost or double.`;

const rounds = 3;
const enquireLinkMs = 1_000;
/** Two enquire_link without an answer, after one such time of silence; and time for a busy machine. */
const noticeMaxMs = 3 * enquireLinkMs + 2_000;
/** 30 s of silence, and two times 10 s without an answer. */
const sessionMaxMs = 55_000;
/** The first wait before a link connects again, and its spread. */
const backOffMs = 1_000;

async function run(): Promise<Outcome> {
  await using world = await World.open();
  const { gateway, cable } = world;
  const names = ['hold', 'fail', 'resend', 'busy'];
  const times = ['--enquire-link-ms', String(enquireLinkMs), '--answer-timeout-ms', String(enquireLinkMs)];
  for (const name of names) await gateway.morsel('carrier', 'set', name, ...times);
  let slowestMs = 0;
  let sessionMs = 0;
  await using wire = await Cable.open({ host: '127.0.0.1', port: gateway.smppPort });
  await world.bind(wire.port);
  await world.loadDuring(async () => {
    const lostAt = performance.now();
    const endSession = wire.lose();
    for (let round = 0; round < rounds; round++) {
      const { calls, open } = cable;
      const beganAt = performance.now();
      const end = cable.lose();
      await waitUntil(`${open} links connect again`, () => cable.calls >= calls + open);
      slowestMs = Math.max(slowestMs, performance.now() - beganAt);
      end();
      await world.untilMore(50);
    }
    await waitUntil('the session is closed', async () => (await gateway.ask('v1/status')).number('sessions') === 0);
    sessionMs = performance.now() - lostAt;
    endSession();
  });
  world.expect(sessionMs < sessionMaxMs, `a half-open session was noticed after ${sessionMs} ms`);
  world.expect(slowestMs < noticeMaxMs + backOffMs, `a half-open link was noticed after ${slowestMs} ms`);
  const figures = { rounds, slowestMs: Math.ceil(slowestMs), sessionMs: Math.ceil(sessionMs) };
  // Each lost link may leave a window of parts in doubt, and `doubtFaults` counts one for each run.
  return await world.compare(figures, (sentence) => !sentence.includes('in doubt of a link'));
}

await runFault({ about, needs: [], run });

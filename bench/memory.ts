/** Question `memory`: the largest memory while messages wait for a carrier that is down, and while they go out. */
import { writeFileSync } from 'node:fs';
import { freePort, setUp } from '../packages/gateway/test/peers/set-up.ts';
import { compare, readSettledBooks } from './books.ts';
import {
  checkoutsOf,
  figure,
  makeFolder,
  sendHttp,
  startGateway,
  usageOf,
  windowMax,
  type Answers,
  type Checkout,
  type Options,
  type Question,
  type Round,
} from './harness.ts';
import { Sink } from './sink.ts';

/** Messages that wait: at 10,000 a minute, a carrier that is down for most of an hour. */
const queuedMin = 500_000;

export const question: Question = {
  options: ['seconds', 'rounds', 'connections', 'rate', 'against'],
  programs: () => ['cc'],
  sides: (options) =>
    checkoutsOf(options).map((checkout) => ({ name: checkout.name, measure: () => measureMemory(checkout, options) })),
};

async function measureMemory(checkout: Checkout, options: Options): Promise<Round> {
  await using folder = makeFolder();
  await using sink = await Sink.start();
  await using program = await startGateway(checkout, { dataDir: folder.path });
  const { token } = await setUp(program, { port: await freePort(), window: windowMax });
  const before = await readSettledBooks(program, ['acme']);
  const load = { ...options, gateway: 'morsel', port: program.httpPort, tokens: [token] } as const;
  const answers = { sent: 0, answered: 0, refused: 0, broken: 0 };
  while (answers.answered + answers.refused + answers.broken < queuedMin) add(answers, await sendHttp(load));
  const queued = usageOf(program.pid);
  forgetPeak(program.pid);
  await program.morsel('carrier', 'set', 'sink', '--port', String(sink.port));
  await sink.has(answers.answered);
  const after = await readSettledBooks(program, ['acme']);
  const sent = usageOf(program.pid);
  const counts = await sink.stop();
  await program.stop();
  return {
    figures: [
      figure('queued', 'queued', '', answers.answered),
      figure('queuedPeakMiB', 'memory while they are queued, peak', 'MiB', queued.peakMiB),
      figure('sendingPeakMiB', 'memory while they go out, peak', 'MiB', sent.peakMiB),
      figure('sentPerSecond', 'going out, with their receipts', '/s', counts.acks / counts.seconds),
      figure('cpuMicroseconds', 'CPU a message', 'us', sent.cpu / answers.answered),
    ],
    faults: compare({ answers, counts, before, after }),
  };
}

type Totals = { -readonly [Name in 'sent' | 'answered' | 'refused' | 'broken']: number };

function add(totals: Totals, each: Answers): void {
  for (const name of ['sent', 'answered', 'refused', 'broken'] as const) totals[name] += each[name];
}

/** From now on, the peak of a process is counted anew (proc_pid_clear_refs(5)). */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** `npm run bench -- backlog`. The constant `help` describes the benchmark and its options. */
import { freePort, setUp, untilBound } from '../packages/gateway/test/peers/set-up.ts';
import { Asking, deliveryQuestion } from './asking.ts';
import type { Waits } from './asking.ts';
import { compare, readBooks, readSettledBooks } from './books.ts';
import type { Sides } from './books.ts';
import { makeFolder } from './folder.ts';
import { windowMax } from './morsel.ts';
import { Sink } from './sink.ts';
import type { SinkCounts } from './sink.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Figure, Say, Trial } from './trial.ts';
import { forgetPeak, mebibyte, usageOf } from './usage.ts';
import type { Usage } from './usage.ts';
import { runStreams } from './wrk.ts';
import type { Answers } from './wrk.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';

/** The most memory of the gateway, both while it holds a backlog and while the backlog goes out. */
const residentMaxMiB = 896;

/** The longest time until `carrier show` and /sms/dlr answer, with or without a backlog. */
const answerMaxMs = 1_000;

/** The accounts take turns: each pair of streams, one of each account, sends to one receiver. */
const streams = 64;
const accounts = ['acme', 'bravo'] as const;

const help = `Sends messages while the carrier is down, and checks what happens when it comes back: no message is lost, all leave in
order, and memory stays limited.

  npm run bench -- backlog [--messages 500000] [--json]

  --messages N  messages that come in while the carrier is down (default: 500000)
  --json        prints one JSON value

Two accounts send to ${streams / 2} receivers in ${streams} streams over HTTP. A stream sends each message after the answer to its last message.
Then the carrier (smsc_sink.c) starts. While the backlog goes out, a twentieth as many messages come in over the same
streams. Afterwards a fifth as many messages go straight through, for comparison.

The exit status is 1 unless
- every message that was answered 200 was charged, submitted and delivered once, in order for each account and receiver;
- memory stayed below ${residentMaxMiB} MiB;
- carrier show and /sms/dlr always answered within ${answerMaxMs} ms.

Needs wrk and a C compiler: apt-get install wrk gcc libc6-dev
`;

const trial: Trial<'messages'> = { help, options: { messages: 500_000 }, run };

async function run(options: { messages: number }, say: Say) {
  const inEach = (messages: number) => Math.max(1, Math.round(messages / streams));
  const counts = [options.messages, options.messages / 20, options.messages / 5].map(inEach);
  const [held = 1, beside = 1, direct = 1] = counts;
  await using folder = makeFolder();
  const port = await freePort();
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  const tokens = await setUpTwo(program, port);
  const before = await readBooks(program, accounts);
  const load = { port: program.httpPort, tokens, streams, hasOwnReceivers: false };
  const stream = (each: number, after: number) => runStreams({ ...load, messages: each * streams, before: after });

  await using asked = askBoth(program, tokens[0]);
  say(`the carrier is down: ${(held * streams).toLocaleString('en')} messages come in`);
  const begin = performance.now();
  const heldAnswers = await stream(held, 0);
  const acceptSeconds = (performance.now() - begin) / 1_000;
  const down = { usage: usageOf(program.pid), waits: asked.take() };

  forgetPeak(program.pid);
  say('the carrier is back');
  await using sink = await Sink.start(folder.path, port, ['-d', '-o']);
  await untilBound(program);
  const besideAnswers = await stream(beside, held);
  await sink.has(heldAnswers.answered + besideAnswers.answered, (line) => say(`  ${line}`));
  const drained = { usage: usageOf(program.pid), waits: asked.take(), counts: sink.counts };
  await sink.countAnew();

  say(`straight through: ${(direct * streams).toLocaleString('en')} messages`);
  const directAnswers = await stream(direct, held + beside);
  await sink.has(directAnswers.answered);
  await asked[Symbol.asyncDispose]();
  const after = await readSettledBooks(program, accounts);
  const last = await sink.stop();
  await program.stop();

  const seen: Seen = {
    held: heldAnswers,
    beside: besideAnswers,
    direct: directAnswers,
    acceptSeconds,
    down,
    drained,
    last,
    sink,
  };
  return { figures: figuresOf(seen), faults: faultsOf(seen, { before, after }) };
}

interface Seen {
  readonly held: Answers;
  readonly beside: Answers;
  readonly direct: Answers;
  readonly acceptSeconds: number;
  readonly down: { readonly usage: Usage; readonly waits: BothWaits };
  readonly drained: { readonly usage: Usage; readonly waits: BothWaits; readonly counts: SinkCounts };
  /** Messages that went straight through. */
  readonly last: SinkCounts;
  readonly sink: Pick<Sink, 'figure'>;
}

function figuresOf({ held, beside, acceptSeconds, down, drained, last, sink }: Seen): Figure[] {
  const drainedPerSecond = drained.counts.acks / drained.counts.seconds;
  const directPerSecond = last.acks / last.seconds;
  return [
    figureOf('messages', 'messages that came in while it was down', held.answered, ''),
    figureOf('acceptedPerSecond', 'accepted meanwhile', held.answered / acceptSeconds, 'a second'),
    figureOf('downPeakMiB', 'memory, peak while it was down', down.usage.peakResidentBytes / mebibyte, 'MiB'),
    figureOf('beside', 'messages that came in while the backlog went out', beside.answered, ''),
    figureOf('drainSeconds', 'all of them delivered after', drained.counts.seconds, 's'),
    figureOf('drainedPerSecond', 'from the queue, end to end', drainedPerSecond, 'a second'),
    figureOf('drainPeakMiB', 'memory, peak while it went out', drained.usage.peakResidentBytes / mebibyte, 'MiB'),
    figureOf('directPerSecond', 'straight through, end to end', directPerSecond, 'a second'),
    figureOf('drainPercent', 'the one of the other', (100 * drainedPerSecond) / directPerSecond, '%'),
    figureOf('streams', 'streams, as the carrier saw them', sink.figure('streams'), ''),
    figureOf('misordered', 'messages out of their order', sink.figure('misordered'), ''),
    ...waitFigures('down', 'it was down', down.waits),
    ...waitFigures('drain', 'it went out', drained.waits),
  ];
}

function faultsOf(seen: Seen, books: Pick<Sides, 'before' | 'after'>): string[] {
  const { held, beside, direct, down, drained, last, sink } = seen;
  const counts = { submits: drained.counts.submits + last.submits, acks: drained.counts.acks + last.acks };
  const peakMiB = Math.max(down.usage.peakResidentBytes, drained.usage.peakResidentBytes) / mebibyte;
  const waits = [down.waits, drained.waits].flatMap(({ show, delivery }) => [show, delivery]);
  const longestMs = Math.max(...waits.map((each) => each.longestMs));
  const failed = waits.reduce((sum, each) => sum + each.failed, 0);
  const [misordered, seenStreams] = [sink.figure('misordered'), sink.figure('streams')];
  return [
    ...compare({ ...books, answers: sumOf([held, beside, direct]), counts }),
    ...(misordered === 0 ? [] : [`messages out of their order: ${misordered}`]),
    ...(seenStreams === streams ? [] : [`the carrier saw ${seenStreams} streams and not ${streams}`]),
    ...(peakMiB < residentMaxMiB ? [] : [`memory passed ${residentMaxMiB} MiB`]),
    ...(failed === 0 ? [] : [`carrier show and /sms/dlr were refused, or had no answer: ${failed}`]),
    ...(longestMs < answerMaxMs ? [] : [`an answer took longer than ${answerMaxMs} ms`]),
  ];
}

async function setUpTwo(program: GatewayProcess, port: number): Promise<readonly [string, string]> {
  const { token } = await setUp(program, { port, window: windowMax });
  await program.morsel('carrier', 'set', 'sink', '--back-off-max-ms', '500');
  await program.morsel('account', 'add', accounts[1], '--currency', 'EUR', '--balance', '1000000');
  const other = await program.morsel('token', 'add', accounts[1]);
  return [token, other.text('token')];
}

/** Asks both APIs until it is disposed of. */
function askBoth(program: GatewayProcess, token: string) {
  const show = new Asking(() => program.ask('v1/carriers/sink'));
  const delivery = new Asking(deliveryQuestion(program, token));
  return {
    take: () => ({ show: show.take(), delivery: delivery.take() }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([show[Symbol.asyncDispose](), delivery[Symbol.asyncDispose]()]);
    },
  };
}

interface BothWaits {
  readonly show: Waits;
  readonly delivery: Waits;
}

function waitFigures(name: string, when: string, { show, delivery }: BothWaits): Figure[] {
  return [
    figureOf(`${name}ShowLongestMs`, `carrier show while ${when}, the longest of ${show.asked}`, show.longestMs, 'ms'),
    figureOf(
      `${name}DlrLongestMs`,
      `/sms/dlr while ${when}, the longest of ${delivery.asked}`,
      delivery.longestMs,
      'ms',
    ),
    figureOf(`${name}DlrMedianMs`, `/sms/dlr while ${when}, median`, delivery.medianMs, 'ms'),
  ];
}

function sumOf(answers: readonly Answers[]): Sides['answers'] {
  const sum = (figure: (answers: Answers) => number) => answers.reduce((total, each) => total + figure(each), 0);
  return {
    sent: sum((each) => each.sent),
    answered: sum((each) => each.answered),
    refused: sum((each) => each.refused),
    broken: sum((each) => each.broken),
  };
}

process.exitCode = await runTrial(trial, process.argv.slice(2));

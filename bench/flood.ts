/** `npm run bench -- flood`. The constant `help` describes the benchmark and its options. */
import { setUp } from '../packages/gateway/test/peers/set-up.ts';
import { compare, readBooks, readSettledBooks } from './books.ts';
import type { Books } from './books.ts';
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
import { waitUntil } from '../packages/gateway/test/support/wait-until.ts';

/** The longest answer to an enquire_link during the flood. After that time carriers assume that the gateway is gone. */
const waitMaxMs = 1_000;

/** The most that the gateway's memory may grow while the receipts come in. */
const growthMaxMiB = 256;

const links = 2;
const streams = 64;

const help = `Floods the gateway with receipts, half of them for unknown ids, and checks the receipts, the memory and the answers to
enquire_link.

  npm run bench -- flood [--rate 20000] [--seconds 10] [--json]

  --rate N      receipts a second (default: 20000)
  --seconds N   how long the receipts come in at that rate (default: 10)
  --json        prints one JSON value

First a client sends half as many messages as receipts over HTTP, and the carrier (smsc_sink.c) holds their receipts back.
Then the carrier sends each receipt together with a receipt for an unknown id. It uses one of ${links} links and does not wait
for answers. A second after a refusal with ESME_RX_T_APPN it sends the receipt again. On both links it sends an
enquire_link five times a second.

The exit status is 1 unless
- every receipt was acknowledged once;
- every message is delivered, and every receipt for an unknown id is unmatched;
- every enquire_link was answered within ${waitMaxMs} ms;
- memory grew by less than ${growthMaxMiB} MiB.

Needs wrk and a C compiler: apt-get install wrk gcc libc6-dev
`;

const trial: Trial<'rate' | 'seconds'> = { help, options: { rate: 20_000, seconds: 10 }, run };

async function run(options: { rate: number; seconds: number }, say: Say) {
  const messages = Math.max(1, Math.round((options.rate * options.seconds) / 2));
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path, 0, ['-f', String(options.rate)]);
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  await program.morsel('carrier', 'set', 'sink', '--links', String(links));
  await waitUntil('the links are bound', async () => isBound(program), 10_000);
  const before = await readBooks(program, ['acme']);

  say(`sending ${messages.toLocaleString('en')} messages, whose receipts are kept back`);
  const load = { port: program.httpPort, tokens: [token], streams, messages, hasOwnReceivers: true };
  const answers = await runStreams(load);
  await sink.has({ submits: answers.answered, acks: 0 });
  await waitUntil(
    'every answer is written',
    async () => (await program.ask('v1/status')).number('store', 'waiting') === 0,
    60_000,
  );

  const calm = usageOf(program.pid);
  forgetPeak(program.pid);
  say(`flood: ${(2 * messages).toLocaleString('en')} receipts, ${options.rate.toLocaleString('en')} a second`);
  sink.flood();
  await sink.has({ submits: answers.answered, acks: 2 * answers.answered }, (line) => say(`  ${line}`));
  const flooded = usageOf(program.pid);
  const surplus = await surplusOf(program);
  const after = await readSettledBooks(program, ['acme']);
  const counts = await sink.stop();
  await program.stop();

  const seen: Seen = { answers, counts, surplus, sink, before, after, calm, flooded };
  return { figures: figuresOf(seen), faults: faultsOf(seen) };
}

interface Seen {
  readonly answers: Answers;
  readonly counts: SinkCounts;
  /** Refused receipts, as `carrier show` counts them. */
  readonly surplus: number;
  readonly sink: Pick<Sink, 'figure'>;
  readonly before: Books;
  readonly after: Books;
  /** Before the flood, and after it. */
  readonly calm: Usage;
  readonly flooded: Usage;
}

function figuresOf(seen: Seen): Figure[] {
  const { counts, sink, after, calm, flooded } = seen;
  const receipts = sink.figure('items');
  const perReceipt = (flooded.cpuMicroseconds - calm.cpuMicroseconds) / receipts;
  return [
    figureOf('receipts', 'receipts', receipts, ''),
    figureOf('sendSeconds', 'the carrier had sent each once after', sink.figure('send_seconds'), 's'),
    figureOf('floodSeconds', 'each was acknowledged after', sink.figure('flood_seconds'), 's'),
    figureOf('acknowledgedPerSecond', 'acknowledged, on disk', receipts / sink.figure('flood_seconds'), 'a second'),
    figureOf('refused', 'refused with ESME_RX_T_APPN and sent again', counts.refusals, ''),
    figureOf('matched', 'matched', after.delivered, ''),
    figureOf('unmatched', 'unmatched', after.unmatchedReceipts, ''),
    figureOf('duplicates', 'duplicates', after.duplicateReceipts, ''),
    figureOf('enquiries', 'enquire_link answered', sink.figure('enquiries'), ''),
    figureOf('waitMs', 'the longest wait, on the link of the flood', sink.figure('wait_ms'), 'ms'),
    figureOf('otherWaitMs', 'the longest wait, on the other link', sink.figure('other_wait_ms'), 'ms'),
    figureOf('residentMiB', 'memory before the flood', calm.residentBytes / mebibyte, 'MiB'),
    figureOf('growthMiB', 'its growth up to the peak', growthMiBOf(seen), 'MiB'),
    figureOf('cpuMicrosecondsPerReceipt', 'CPU a receipt, all threads', perReceipt, 'us'),
  ];
}

function growthMiBOf({ calm, flooded }: Seen): number {
  return (flooded.peakResidentBytes - calm.residentBytes) / mebibyte;
}

function faultsOf(seen: Seen): string[] {
  const { answers, counts, sink, before, after } = seen;
  const all = 2 * answers.answered;
  const kept = after.delivered + after.unmatchedReceipts + after.duplicateReceipts;
  const longestMs = Math.max(sink.figure('wait_ms'), sink.figure('other_wait_ms'));
  return [
    ...compare({ answers, counts, before, after, unknownReceipts: answers.answered }),
    ...mustBe('receipts sent', counts.receipts, counts.acks + counts.refusals),
    ...mustBe('receipts refused, as carrier show has it', seen.surplus, counts.refusals),
    ...mustBe('receipts sent again', sink.figure('repeats'), counts.refusals),
    ...mustBe('receipts acknowledged, each once', sink.figure('acknowledged'), all),
    ...mustBe('answers that nobody asked for, or with another refusal', sink.figure('strays'), 0),
    ...mustBe('receipts matched, unmatched or duplicate', kept, all),
    ...(longestMs < waitMaxMs ? [] : [`an enquire_link waited for longer than ${waitMaxMs} ms`]),
    ...(growthMiBOf(seen) < growthMaxMiB ? [] : [`memory grew by more than ${growthMaxMiB} MiB`]),
  ];
}

async function isBound(program: GatewayProcess): Promise<boolean> {
  const carrier = await program.ask('v1/carriers/sink');
  return linkNumbers.every((link) => carrier.at('linkStates', link, 'state') === 'bound');
}

async function surplusOf(program: GatewayProcess): Promise<number> {
  const carrier = await program.ask('v1/carriers/sink');
  return linkNumbers.reduce((sum, link) => sum + carrier.number('linkStates', link, 'surplus'), 0);
}

const linkNumbers = Array.from({ length: links }, (_, index) => String(index));

function mustBe(what: string, found: number, expected: number): string[] {
  return found === expected ? [] : [`${what}: ${found} and not ${expected}`];
}

process.exitCode = await runTrial(trial, process.argv.slice(2));

import { Program, setUp, unitPrice } from '../packages/gateway/test/peers/program.ts';
import type { Shown } from '../packages/gateway/test/peers/program.ts';
import { makeFolder } from './folder.ts';
import { warmUpSeconds } from './measured.ts';
import type { Measured, RoundSettings } from './measured.ts';
import { Sink } from './sink.ts';
import type { SinkCounts } from './sink.ts';
import { usageOf } from './usage.ts';
import { runWrk } from './wrk.ts';
import type { Answers } from './wrk.ts';

/** A data directory that was set up, and whatever it holds by now. */
export interface Prepared {
  readonly dataDir: string;
  readonly token: string;
  /** Where its carrier listens. */
  readonly carrierPort: number;
}

export const windowMax = 1_000;

/** One round on a store of its own, in which nothing is yet. */
export async function measureFresh(settings: RoundSettings): Promise<Measured> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using program = await Program.start({ dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  return await measure({ program, sink, token, settings });
}

/** One round on a store that holds something already. */
export async function measurePrepared(prepared: Prepared, settings: RoundSettings): Promise<Measured> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path, prepared.carrierPort);
  await using program = await Program.start({ dataDir: prepared.dataDir });
  return await measure({ program, sink, token: prepared.token, settings });
}

interface Round {
  readonly program: Program;
  readonly sink: Sink;
  readonly token: string;
  readonly settings: RoundSettings;
}

async function measure({ program, sink, token, settings }: Round): Promise<Measured> {
  const load = { ...settings, gateway: 'morsel', port: program.httpPort, token } as const;
  const warm = await runWrk({ ...load, seconds: warmUpSeconds });
  await sink.has(warm.answered);
  await sink.countAnew();
  const before = await look(program);
  const answers = await runWrk(load);
  await sink.has(answers.answered);
  const after = await look(program);
  const counts = await sink.stop();
  await program.stop();

  const { seconds } = settings;
  return {
    acceptedPerSecond: answers.answered / seconds,
    endToEndPerSecond: counts.acks / counts.seconds,
    p50Ms: answers.p50Ms,
    p99Ms: answers.p99Ms,
    messages: answers.answered,
    own: {
      // One fsync a group.
      fsyncsPerSecond: (after.groups - before.groups) / counts.seconds,
      peakResidentBytes: after.usage.peakResidentBytes,
      cpuMicrosecondsPerMessage: (after.usage.cpuMicroseconds - before.usage.cpuMicroseconds) / answers.answered,
    },
    faults: compare({ answers, counts, before: before.books, after: after.books }),
  };
}

/** What the store says that it holds. */
interface Books {
  readonly messages: number;
  readonly delivered: number;
  /** In units of the currency. */
  readonly charged: number;
  readonly balance: number;
  readonly waiting: number;
  readonly inDoubt: number;
  readonly parkedReceipts: number;
  readonly unbalanced: readonly unknown[];
}

async function look(program: Program) {
  const usage = usageOf(program.pid);
  const status = await program.ask('status');
  const totals = await program.ask('totals');
  const account = await program.ask('accounts/acme');
  return { usage, groups: status.number('store', 'groups'), books: readBooks(totals, account) };
}

function readBooks(totals: Shown, account: Shown): Books {
  const events = Object.values(totals.at('messages') ?? {}).map(Number);
  const unbalanced = totals.at('unbalanced');
  return {
    messages: events.reduce((sum, count) => sum + count, 0),
    delivered: totals.number('messages', 'delivered'),
    charged: totals.number('charged') - totals.number('refunded'),
    balance: account.number('balance'),
    waiting: totals.number('waiting'),
    inDoubt: totals.number('inDoubt'),
    parkedReceipts: totals.number('parkedReceipts'),
    unbalanced: Array.isArray(unbalanced) ? unbalanced : [],
  };
}

function priced(amount: number): number {
  return Math.round(amount / unitPrice);
}

/** Answered 200 = stored = charged = submitted = delivered, as the clients, the store and the carrier each counted. */
function compare(sides: { answers: Answers; counts: SinkCounts; before: Books; after: Books }): string[] {
  const { answers, counts, before, after } = sides;
  const counted = {
    'requests sent': answers.sent,
    'messages stored': after.messages - before.messages,
    'messages charged': priced(after.charged - before.charged),
    'prices taken from the balance': priced(before.balance - after.balance),
    'messages submitted to the carrier': counts.submits,
    'receipts acknowledged to the carrier': counts.acks,
    'messages delivered in the store': after.delivered - before.delivered,
  };
  const expectedNothing = {
    'requests refused': answers.refused,
    'connections broken': answers.broken,
    'parts waiting': after.waiting,
    'parts in doubt': after.inDoubt,
    'receipts parked': after.parkedReceipts,
    'accounts whose balance is not the sum of their entries': after.unbalanced.length,
  };
  return [
    ...(answers.answered > 0 ? [] : ['nothing was answered']),
    ...Object.entries(counted)
      .filter(([, count]) => count !== answers.answered)
      .map(([what, count]) => `${what}: ${count}, but ${answers.answered} were answered 200`),
    ...Object.entries(expectedNothing)
      .filter(([, count]) => count !== 0)
      .map(([what, count]) => `${what}: ${count}`),
  ];
}

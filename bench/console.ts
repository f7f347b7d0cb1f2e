/** `npm run bench -- console`. The constant `help` describes the benchmark and its options. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';
import { setUp } from '../packages/gateway/test/peers/set-up.ts';
import { makeFolder } from './folder.ts';
import { measure, windowMax } from './morsel.ts';
import type { Measured } from './measured.ts';
import { Sink } from './sink.ts';
import { prepareStore } from './stored.ts';
import { spreadOf } from './measured.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Figure, Say, Trial } from './trial.ts';
import { runWrk } from './wrk.ts';

const help = `Opens the console in Chromium beside a store full of messages, and under load; and measures what somebody who watches costs.

  npm run bench -- console [--messages 1000000] [--rate 5000] [--seconds 15] [--rounds 3] [--json]

  --messages N  messages in the store (default: 1000000)
  --rate N      messages a second while the overview is open (default: 5000)
  --seconds N   time of each round under load (default: 15)
  --rounds N    rounds with and without somebody who watches, in turn (default: 3)
  --json        prints one JSON value

A page counts as usable when its figures or its first row are there. A long task is one that keeps the page from answering for more than
50 ms (W3C Long Tasks API). The watcher of the rounds reads the figures, one a second, without a browser, which would need a core itself.

Needs wrk, a C compiler and Chromium: apt-get install wrk gcc libc6-dev chromium
`;

type Option = 'messages' | 'rate' | 'seconds' | 'rounds';
const trial: Trial<Option> = {
  help,
  options: { messages: 1_000_000, rate: 5_000, seconds: 15, rounds: 3 },
  programs: ['wrk', 'cc', 'chromium'],
  run,
};
const connections = 64;
const opened = 5;

async function run({ messages, rate, seconds, rounds }: Readonly<Record<Option, number>>, say: Say) {
  const pages = await openPages(messages, say);
  const live = await watchLoad({ rate, seconds }, say);
  const watched: Measured[] = [];
  const alone: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await load(seconds, false));
    watched.push(await load(seconds, true));
    say(
      `round ${round + 1}: ${Math.round(alone.at(-1)?.acceptedPerSecond ?? 0)} alone, ${Math.round(watched.at(-1)?.acceptedPerSecond ?? 0)} watched`,
    );
  }
  const percentOf = (read: (measured: Measured) => number) =>
    100 * spreadOf(watched.map((each, at) => read(each) / read(alone[at] ?? each))).median;
  const figures: readonly Figure[] = [
    ...pages,
    ...live,
    figureOf(
      'watchedPercent',
      'speed while somebody watches',
      percentOf((each) => each.acceptedPerSecond),
      '%',
    ),
    figureOf(
      'watchedCpuPercent',
      'CPU of a message meanwhile',
      percentOf((each) => each.own?.cpuMicrosecondsPerMessage ?? 0),
      '%',
    ),
  ];
  return { figures, faults: [...alone, ...watched].flatMap(({ faults }) => faults) };
}

/** Medians of the times until pages are usable. */
async function openPages(messages: number, say: Say): Promise<readonly Figure[]> {
  await using folder = makeFolder();
  say(`filling a store with ${messages.toLocaleString('en')} messages`);
  const { dataDir } = await prepareStore(folder.path, messages);
  await using program = await GatewayProcess.start({ dataDir });
  await using signedIn = await signIn(program);
  const { page, base } = signedIn;
  await page.goto(`${base}/messages`);
  const first = page.locator('tbody tr').first();
  await first.waitFor();
  const receiver = (await first.locator('td').nth(4).textContent()) ?? '';
  const id = (await first.locator('td').first().textContent()) ?? '';
  const views: readonly (readonly [name: string, what: string, path: string, ready: string])[] = [
    ['overviewMs', 'overview', '/', 'main dd'],
    ['listMs', 'newest messages', '/messages', 'tbody tr'],
    ['byReceiverMs', 'messages by receiver', `/messages?receiver=${encodeURIComponent(receiver)}`, 'tbody tr'],
    ['byAccountMs', 'messages by account and state', '/messages?account=acme&event=delivered', 'tbody tr'],
    ['anyMs', 'search by a word', `/messages?find=${encodeURIComponent(receiver)}`, 'tbody tr'],
    ['messageMs', 'one message', `/messages/${id}`, 'main li'],
  ];
  const figures: Figure[] = [];
  for (const [name, what, path, ready] of views) {
    const times: number[] = [];
    for (let at = 0; at < opened; at += 1) {
      const from = performance.now();
      await page.goto(`${base}${path}`);
      await page.locator(ready).first().waitFor();
      times.push(performance.now() - from);
    }
    figures.push(figureOf(name, `${what}, usable after`, spreadOf(times).median, 'ms'));
  }
  await program.stop();
  return figures;
}

/** Long tasks of the overview, and of the list of messages, while messages come in. */
async function watchLoad(
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
  say: Say,
): Promise<readonly Figure[]> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  await using signedIn = await signIn(program);
  const { page } = signedIn;
  await page.evaluate(`window.long = []; new PerformanceObserver((list) => long.push(...list.getEntries().map((each) => each.duration)))
    .observe({ type: 'longtask' })`);
  say(`${rate.toLocaleString('en')} messages a second, with the overview open`);
  const answers = await runWrk({
    gateway: 'morsel',
    port: program.httpPort,
    tokens: [token],
    seconds,
    connections,
    rate,
  });
  const tasks: unknown = await page.evaluate('long');
  const long = Array.isArray(tasks) ? tasks.map(Number) : [];
  await program.stop();
  return [
    figureOf('liveASecond', 'messages a second meanwhile', answers.answered / seconds, ''),
    figureOf('longTasks', 'tasks over 50 ms on the page meanwhile', long.length, ''),
    figureOf('longestTaskMs', 'longest of them', Math.max(0, ...long), 'ms'),
  ];
}

async function load(seconds: number, isWatched: boolean): Promise<Measured> {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  const watching = isWatched ? watch(program) : undefined;
  const settings = { seconds, connections, rate: 0 };
  const measured = await measure({ programs: [program], sink, tokens: [token], settings });
  await watching;
  return measured;
}

/** Reads the figures until the gateway ends. */
async function watch(program: GatewayProcess): Promise<void> {
  while (!program.isEnded) {
    await program.ask('v1/traffic/now').catch(() => undefined);
    await sleep(1_000);
  }
}

interface SignedIn extends AsyncDisposable {
  readonly page: Page;
  readonly base: string;
}

async function signIn(program: GatewayProcess): Promise<SignedIn> {
  const link = String(program.ready['consoleUrl']);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage();
  await page.goto(link);
  await page.getByLabel('Name').fill('jane');
  await page.getByLabel('New password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('main dd').first().waitFor();
  return { page, base: new URL(link).origin, [Symbol.asyncDispose]: () => browser.close() };
}

process.exitCode = await runTrial(trial, process.argv.slice(2));

/** `npm run bench -- pipeline`. The constant `help` describes the benchmark and its options. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encode } from '@morsel/smpp';
import { HttpClient } from '../packages/gateway/test/support/http-client.ts';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';
import { Asking } from './asking.ts';
import type { Waits } from './asking.ts';
import { makeFolder } from './folder.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Figure, Say, Trial } from './trial.ts';
import { forgetPeak, mebibyte, usageOf } from './usage.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';

const burstConnections = 100;
/** With so many connections the gateway must answer about 170,000 requests. */
const burstSeconds = 10;
/** More connections than the operator's port allows. */
const halfConnections = 110;
const halfSeconds = 8;

/** The fewest answers of /health and enquire_link. With fewer answers the result says nothing. */
const waitMaxMs = 1_000;
const growthMaxMiB = 256;

const help = `Attacks the gateway with clients that pipeline requests and read no answers, and measures memory and other clients' waits.

  npm run bench -- pipeline [--connections 300] [--seconds 10] [--json]

  --connections N  connections that pipeline GET /openapi.json and read nothing (default: 300)
  --seconds N      how long these connections pipeline (default: 10)
  --json           prints one JSON value

Then ${burstConnections} connections write 64 KiB of GET /health each, at the same time. Then ${halfConnections} connections send half a request
to the operator's port. Meanwhile another client requests /health and a bound session sends enquire_link, five times a
second, and the operator asks for the status. The attack is a separate process.

The exit status is 1 unless every answer came within ${waitMaxMs} ms, memory grew by less than ${growthMaxMiB} MiB, and the operator was
answered.
`;

type Option = 'connections' | 'seconds';
const trial: Trial<Option> = { help, options: { connections: 300, seconds: 10 }, programs: [], run };

async function run({ connections, seconds }: Readonly<Record<Option, number>>, say: Say) {
  await using folder = makeFolder();
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  await program.morsel('account', 'add', 'acme', '--currency', 'EUR');
  const login = await program.morsel('smpp-login', 'add', 'acme');
  using others = await Others.start(program, login.text('password'));

  say(`${connections} connections pipeline GET /openapi.json and read nothing, for ${seconds} s`);
  const unread = await others.during(() => attack('unread', program.httpPort, connections, seconds));
  say(`${burstConnections} connections write 64 KiB of GET /health, at once`);
  const burst = await others.during(() => attack('burst', program.httpPort, burstConnections, burstSeconds));
  say(`${halfConnections} connections send half a request to the operator's port`);
  const half = await others.during(async () => {
    const over = attack('half', program.adminPort, halfConnections, halfSeconds);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const begin = performance.now();
    const failed = await program.ask('v1/status').then(
      () => false,
      () => true,
    );
    const waitMs = performance.now() - begin;
    await over;
    return { failed, waitMs };
  });
  await program.stop();
  return {
    figures: [
      ...figuresOf('unread', 'unread answers', unread),
      ...figuresOf('burst', 'bursts', burst),
      operatorFigure(),
    ],
    faults: [...faultsOf('unread answers', unread), ...faultsOf('bursts', burst), ...operatorFaults()],
  };

  function operatorFigure(): Figure {
    return figureOf('operatorWaitMs', 'half requests: the wait of the operator', half.result.waitMs, 'ms');
  }

  function operatorFaults(): string[] {
    if (half.result.failed) return ['the operator was not answered'];
    return half.result.waitMs < waitMaxMs ? [] : ['half requests: the operator waited too long'];
  }
}

async function attack(kind: string, port: number, connections: number, seconds: number): Promise<void> {
  const file = join(import.meta.dirname, 'pipeline-attack.ts');
  const words = [kind, port, connections, seconds].map(String);
  const running = promisify(execFile)(process.execPath, [file, ...words]);
  endsWithUs(running.child);
  await running;
}

interface Seen<T> {
  readonly result: T;
  readonly before: number;
  readonly peak: number;
  readonly health: Waits;
  readonly enquire: Waits;
}

/** A well-behaved HTTP client and a bound session. */
class Others implements Disposable {
  readonly #program: GatewayProcess;
  readonly #http: HttpClient;
  readonly #session: Socket;

  private constructor(program: GatewayProcess, session: Socket) {
    this.#program = program;
    this.#http = new HttpClient(program.httpPort);
    this.#session = session;
  }

  static async start(program: GatewayProcess, password: string): Promise<Others> {
    const session = connect(program.smppPort, '127.0.0.1');
    session.setNoDelay(true);
    await once(session, 'connect');
    session.write(encode({ command: 'bind_transceiver', sequence_number: 1, system_id: 'acme', password }));
    await once(session, 'data');
    return new Others(program, session);
  }

  /** How long /health and enquire_link waited during the attack. */
  async during<T>(act: () => Promise<T>): Promise<Seen<T>> {
    forgetPeak(this.#program.pid);
    const before = usageOf(this.#program.pid).residentBytes;
    const health = new Asking(() => this.#http.ask({ path: '/health' }));
    const enquire = new Asking(async () => {
      this.#session.write(encode({ command: 'enquire_link', sequence_number: 2 }));
      await once(this.#session, 'data');
    });
    const result = await act();
    // Requests that are in flight are answered, too.
    await Promise.all([health, enquire].map((asking) => asking[Symbol.asyncDispose]()));
    const peak = usageOf(this.#program.pid).peakResidentBytes;
    return { result, before, peak, health: health.take(), enquire: enquire.take() };
  }

  [Symbol.dispose](): void {
    this.#http.close();
    this.#session.destroy();
  }
}

function figuresOf(name: string, what: string, { before, peak, health, enquire }: Seen<unknown>): Figure[] {
  return [
    figureOf(`${name}BeforeMiB`, `${what}: memory before`, before / mebibyte, 'MiB'),
    figureOf(`${name}PeakMiB`, `${what}: memory, peak`, peak / mebibyte, 'MiB'),
    figureOf(`${name}HealthMs`, `${what}: the longest wait for /health`, health.longestMs, 'ms'),
    figureOf(`${name}EnquireMs`, `${what}: the longest wait for enquire_link`, enquire.longestMs, 'ms'),
  ];
}

function faultsOf(what: string, { before, peak, health, enquire }: Seen<unknown>): string[] {
  return [
    ...(peak - before < growthMaxMiB * mebibyte ? [] : [`${what}: memory grew by more than ${growthMaxMiB} MiB`]),
    ...(health.longestMs < waitMaxMs ? [] : [`${what}: /health waited for longer than ${waitMaxMs} ms`]),
    ...(health.failed === 0 ? [] : [`${what}: /health was not answered ${health.failed} times`]),
    ...(enquire.longestMs < waitMaxMs ? [] : [`${what}: an enquire_link waited for longer than ${waitMaxMs} ms`]),
  ];
}

process.exitCode = await runTrial(trial, process.argv.slice(2));

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Session } from '@morsel/smpp';
import { CarrierProcess } from '../crash/carrier-process.ts';
import { answerFaults, carrierFaults, doubtFaults, endFaults } from '../crash/checks.ts';
import { sendUntilDead, type Remembered } from '../crash/load.ts';
import { settleLoad, setUpLoad } from '../crash/trial.ts';
import { Cable } from '../nodes/cable.ts';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { storeFaults } from '../support/store/rules/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Outcome } from './script.ts';
import { Shim } from './shim.ts';

/** The longest pause of each of the 24 clients. */
const pauseMs = 300;
/** The longest stall of a script, and time for a busy machine. */
const limitMs = 180_000;
const password = 'Right-1';

interface WorldOptions {
  readonly isShimmed?: boolean;
  readonly under?: readonly string[];
  /** The folder of the data, such as a small disk. */
  readonly disk?: string | undefined;
}

/** A gateway, a carrier behind a cable, clients that send, and the records of all. */
export class World implements AsyncDisposable {
  readonly gateway: GatewayProcess;
  readonly cable: Cable;
  readonly shim: Shim | undefined;
  /** What the script itself found wrong. */
  readonly wrong: string[] = [];
  readonly #opened: AsyncDisposableStack;
  readonly #carrier: CarrierProcess;
  readonly #remembered: Remembered[] = [];
  #tokens: ReadonlyMap<string, string> = new Map();

  private constructor(
    gateway: GatewayProcess,
    carrier: CarrierProcess,
    others: { cable: Cable; shim: Shim | undefined; opened: AsyncDisposableStack },
  ) {
    this.gateway = gateway;
    this.#carrier = carrier;
    this.cable = others.cable;
    this.shim = others.shim;
    this.#opened = others.opened;
  }

  static async open({ isShimmed = false, under = [], disk }: WorldOptions = {}): Promise<World> {
    const opened = new AsyncDisposableStack();
    const folder = opened.adopt(mkdtempSync(join(tmpdir(), 'morsel-faults-')), (made) =>
      rmSync(made, { recursive: true, force: true }),
    );
    const dataDir = join(disk ?? folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const shim = isShimmed ? opened.use(new Shim(folder)) : undefined;
    const carrier = opened.use(
      await new CarrierProcess({ journal: join(folder, 'carrier.jsonl'), receiptDelayMs: 50 }).untilReady(),
    );
    const cable = opened.use(await Cable.open({ host: '127.0.0.1', port: carrier.port }));
    const gateway = opened.use(await GatewayProcess.start({ dataDir, under, environment: { ...shim?.environment } }));
    const world = new World(gateway, carrier, { cable, shim, opened });
    world.#tokens = await setUpLoad(gateway, cable.port);
    await gateway.administer('POST', '/v1/accounts/rich/logins', { systemId: 'rich', password });
    return world;
  }

  count(status: number): number {
    return this.#remembered.filter(({ answer }) => answer?.status === status).length;
  }

  /** Clients send while something happens. */
  async loadDuring(happen: () => Promise<void>): Promise<void> {
    const { chance, phase } = { chance: new Chance(1), phase: { isOver: false } };
    const options = { chance, round: 0, port: this.gateway.httpPort, tokens: this.#tokens, pauseMs };
    const nextNumber = () => this.#remembered.length + 1;
    const load = async (): Promise<void> => {
      while (!phase.isOver)
        await sendUntilDead({ ...options, nextNumber, isOver: () => phase.isOver }, this.#remembered);
    };
    const loading = load();
    await this.untilMore(50);
    await happen();
    await this.untilMore(50);
    phase.isOver = true;
    await loading;
  }

  /** Waits until clients got so many more answers of a status. */
  async untilMore(more: number, status = 200): Promise<void> {
    const before = this.count(status);
    await waitUntil(`${more} more answers of ${status}`, () => this.count(status) >= before + more, limitMs);
  }

  expect(isTrue: boolean, sentence: string): void {
    if (!isTrue) this.wrong.push(sentence);
  }

  /** An SMPP session of the account rich. */
  bind(port = this.gateway.smppPort): Promise<Session> {
    const bind = { command: 'bind_transceiver', system_id: 'rich', password } as const;
    return connect({ host: '127.0.0.1', port, bind, onRequest: (_pdu, respond) => respond(0) });
  }

  /** The milliseconds until /health is answered. */
  async healthMs(): Promise<number> {
    const beganAt = performance.now();
    await (await fetch(this.gateway.url('/health'))).text();
    return performance.now() - beganAt;
  }

  /** Stops the gateway, waits on a new one until all is final, and compares the records of all. */
  async compare(figures: Outcome['figures'], isOurs = (_sentence: string) => true): Promise<Outcome> {
    await this.gateway.stop();
    const { dataDir } = this.gateway;
    await settleLoad(dataDir);
    using store = StoreFile.of(dataDir);
    const wrong = [
      ...storeFaults(store),
      ...answerFaults(store, this.#remembered),
      ...endFaults(store, this.#remembered),
      ...carrierFaults(store, this.#carrier.submits()),
      ...doubtFaults(store),
    ].filter(isOurs);
    const double = wrong.filter((sentence) => sentence.includes('times')).length;
    const books = { accepted: this.count(200), refused: this.count(503), lost: wrong.length - double, double };
    return { figures: { ...books, ...figures }, wrong: [...this.wrong, ...wrong] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

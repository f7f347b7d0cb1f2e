/* A process's connection to PostgreSQL of a simulation. It takes time, and it may break. */

import { sleep } from '../../../src/runtime/clock.ts';
import { ConnectionLost, type DatabaseConnection } from '../../../src/store/postgres/wire/connection.ts';
import type { Found, Statement } from '../../../src/store/postgres/wire/flight.ts';
import type { ProcessClock } from '../world.ts';
import { DatabaseFault } from './dialect.ts';
import { ServerSession, silentMaxMs, type SimPostgres } from './server.ts';

/** If a flight has no answer after this time, the connection counts as lost (`wire/connection.ts`). */
const flightLimitMs = 10_000;
const travelMaxMs = 1;
const noticeMaxMs = 100;
/** The share of crashes that take the machine along: the server notices nothing for seconds. */
const machineCrashes = 0.3;
const connectLimitMs = 5_000;
const againMs = 500;

export class SimConnection implements DatabaseConnection {
  readonly #server: SimPostgres;
  readonly #clock: ProcessClock;
  readonly #session: ServerSession;
  #hear: (channel: string, payload: string) => void = () => undefined;
  /** Resolves when the flight that is under way ends. */
  #underWay: Promise<unknown> = Promise.resolve();
  readonly #lost = Promise.withResolvers<never>();
  #isLost = false;

  private constructor(server: SimPostgres, clock: ProcessClock) {
    this.#server = server;
    this.#clock = clock;
    this.#session = new ServerSession(server, {
      process: clock,
      ended: () => this.#travel(() => clock.act(() => this.destroy())),
      notified: (channel, payload) => this.#hearLate(channel, payload),
    });
    this.#lost.promise.catch(() => undefined);
    server.sessions.add(this.#session);
    clock.whenEnded(() => this.#leave(server.world.chance.happens(machineCrashes)));
  }

  static async open(server: SimPostgres, clock: ProcessClock): Promise<SimConnection> {
    await new Promise<void>((resolve) => server.world.soon(0.1, travelMaxMs, () => clock.act(resolve)));
    if (server.cutOff.has(clock)) await sleep(clock, connectLimitMs);
    if (server.faults.isDown || server.cutOff.has(clock)) throw new ConnectionLost('the server does not listen');
    return new SimConnection(server, clock);
  }

  /** Opens a connection as soon as the server answers. */
  static async openAgain(server: SimPostgres, clock: ProcessClock, tries = 0): Promise<SimConnection> {
    for (let tried = tries; ; tried++) {
      if (tried > 0) await sleep(clock, againMs);
      try {
        return await SimConnection.open(server, clock);
      } catch {
        // It is tried again.
      }
    }
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  async listen(channels: readonly string[], hear: (channel: string, payload: string) => void): Promise<void> {
    this.#hear = hear;
    await this.send(channels.map((channel) => ({ text: `listen ${channel}` })));
  }

  async send(statements: readonly Statement[]): Promise<Found[]> {
    const before = this.#underWay;
    const ended = Promise.withResolvers<void>();
    this.#underWay = ended.promise;
    await before;
    const limit = this.#clock.setTimer(() => this.destroy(), flightLimitMs);
    try {
      if (this.#isLost) throw new ConnectionLost('the connection to the database is lost');
      return await Promise.race([this.#fly(statements), this.#lost.promise]);
    } finally {
      limit.cancel();
      ended.resolve();
    }
  }

  #fly(statements: readonly Statement[]): Promise<Found[]> {
    return new Promise((resolve, reject) => {
      this.#travel(() => {
        // What is on its way when a connection breaks may arrive, or not.
        if (this.#isLost && this.#server.world.chance.happens(0.5)) return;
        if (this.#isCutOff) return;
        if (this.#session.isOver) {
          this.#travel(() => this.#clock.act(() => this.destroy()));
          return;
        }
        const answer = (end: () => void) =>
          this.#travel(() => {
            if (!this.#isCutOff) this.#clock.act(end);
          });
        this.#session.fly(statements).then(
          (found) => answer(() => resolve(found)),
          (fault: unknown) =>
            answer(() => {
              const isOver = fault instanceof DatabaseFault && fault.code.startsWith('57P');
              if (isOver) this.destroy();
              else reject(fault);
            }),
        );
      });
    });
  }

  /** The connection breaks. */
  destroy(): void {
    if (this.#isLost) return;
    this.#leave();
    this.#lost.reject(new ConnectionLost('the connection to the database was lost'));
  }

  /** The server notices a little later that nobody listens any more, or after seconds if nothing comes from the machine. */
  #leave(isSilent = this.#isCutOff): void {
    this.#isLost = true;
    const { world } = this.#server;
    if (isSilent) world.after(silentMaxMs, () => this.#session.lose());
    else world.soon(0, noticeMaxMs, () => this.#session.close());
  }

  async close(): Promise<void> {
    this.destroy();
  }

  #hearLate(channel: string, payload: string): void {
    const { world, faults } = this.#server;
    world.soon(0.1, faults.noticeMaxMs, () => {
      this.#clock.act(() => {
        if (!this.#isLost && !this.#isCutOff) this.#hear(channel, payload);
      });
    });
  }

  get #isCutOff(): boolean {
    return this.#server.cutOff.has(this.#clock);
  }

  #travel(arrive: () => void): void {
    this.#server.world.soon(0.05, travelMaxMs, arrive);
  }
}

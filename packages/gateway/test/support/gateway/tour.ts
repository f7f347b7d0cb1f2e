/* A whole gateway for a test: accounts, carriers, client and clock, on real sockets in this process. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { startSimulator } from '@morsel/simulator';
import type { Gateway } from '../../../src/app.ts';
import { operatorCalls } from '../../../src/edge/admin/handlers.ts';
import { done } from '../done.ts';
import { faultOf } from '../carriers/carrier-faults.ts';
import { startOn, type GatewayOptions } from './gateway.ts';
import { HttpClient, textIn, type HttpAnswer } from '../clients/http-client.ts';
import { pricesOf } from '../store/prices.ts';
import { storeFaults } from '../store/rules/store-faults.ts';
import { StoreFile } from '../store/store-file.ts';
import { TestClock } from '../test-clock.ts';
import { waitUntil } from '../wait-until.ts';

type Simulator = Awaited<ReturnType<typeof startSimulator>>;
type SimulatorOptions = Parameters<typeof startSimulator>[0];
export type JournalEntry = Parameters<Exclude<NonNullable<SimulatorOptions['journal']>, string>>[0];
export type Submit = Extract<JournalEntry, { event: 'submit' }>;

/** A carrier of the tour; without a port, the simulator plays this carrier. */
export interface TourCarrier {
  readonly name: string;
  readonly prefix: string;
  readonly port?: number;
  /** The carrier's settings in the route of its prefix, if the route has several carriers. */
  readonly route?: Readonly<Record<string, string>>;
  readonly [setting: string]: unknown;
}

export interface TourOptions {
  readonly carriers?: readonly TourCarrier[];
  readonly simulator?: Omit<SimulatorOptions, 'port' | 'journal' | 'journalTexts'>;
  readonly account?: Readonly<Record<string, string>>;
  /** Sessions that the simulator's carriers open; by default, one for each link. */
  readonly sessions?: number;
  /** Settings of the gateway. */
  readonly environment?: GatewayOptions['environment'];
}

export const unitPrice = 7_500n;
const receiptDelayMs = 60;
const sender = '+41790000001';

/** A gateway, the simulator as its carriers, and an account with its client: on real sockets, in this process. */
export class Tour implements AsyncDisposable {
  readonly journal: JournalEntry[] = [];
  /** The clock of the tour's gateway; tests advance it. */
  readonly clock: TestClock;
  readonly #dataDir: string;
  readonly #host: Tour | undefined;
  readonly #account: string;
  readonly #carriers: string[] = [];
  readonly #guests: Tour[] = [];
  #gateway: Gateway | undefined;
  #simulator: Simulator | undefined;
  #client: HttpClient | undefined;
  #token = '';
  #environment: GatewayOptions['environment'];

  private constructor(account: string, host?: Tour) {
    this.#account = account;
    this.#host = host;
    this.clock = host?.clock ?? TestClock.flowing();
    this.#dataDir = host?.dataDir ?? mkdtempSync(join(tmpdir(), 'morsel-tour-'));
  }

  static async open(options: TourOptions = {}): Promise<Tour> {
    const tour = new Tour('acme');
    tour.#environment = options.environment;
    await tour.start();
    return tour.#equip(options);
  }

  /**
   * Makes a guest: a tour with its own account and carriers at the gateway of this tour. Another gateway would be slow.
   */
  guest(account: string, options: TourOptions): Promise<Tour> {
    const guest = new Tour(account, this);
    this.#guests.push(guest);
    return guest.#equip(options).catch(async (fault: unknown) => {
      await guest.#leave();
      throw fault;
    });
  }

  get account(): string {
    return this.#account;
  }

  /**
   * The name of a carrier of this tour. Guests put the name of their account before it, so that names do not collide.
   */
  carrierName(name: string): string {
    return this.#host ? `${this.#account}-${name}` : name;
  }

  async #equip({ carriers, simulator, account, sessions }: TourOptions): Promise<Tour> {
    this.#simulator = await startSimulator({
      receiptDelayMs,
      retryMs: 100,
      behaviourOf: faultOf,
      ...simulator,
      port: 0,
      journalTexts: true,
      journal: (entry) => this.journal.push(entry),
    });
    const among = carriers ?? [{ name: 'alpha', prefix: '41' }];
    await this.#administer({ currency: 'EUR', balance: '100', ...account }, among);
    const here = among.filter(({ port }) => port === undefined);
    await this.bound(sessions ?? here.reduce((sum, { links }) => sum + Number(links ?? 1), 0));
    return this;
  }

  get dataDir(): string {
    return this.#dataDir;
  }

  get gateway(): Gateway {
    return this.#host?.gateway ?? needed(this.#gateway);
  }

  /** The operator's calls. */
  get operator(): ReturnType<typeof operatorCalls> {
    return operatorCalls(this.gateway.operator);
  }

  get simulator(): Simulator {
    return needed(this.#simulator);
  }

  get client(): HttpClient {
    return this.#host?.client ?? needed(this.#client);
  }

  get token(): string {
    return this.#token;
  }

  async start({ isHeld = false }: { readonly isHeld?: boolean } = {}): Promise<void> {
    const environment = this.#environment ?? {};
    this.#gateway = await startOn(this.#dataDir, { isHeld, clock: this.clock, environment });
    this.#client = new HttpClient(this.#gateway.httpPort);
  }

  /** Stops the gateway; the carriers go on. */
  async stop(): Promise<void> {
    this.#client?.close();
    await this.#gateway?.stop();
    this.#gateway = undefined;
  }

  /** Restarts the gateway, also under the other guests. `between` runs while it is stopped. */
  async restart(between: () => unknown = () => undefined): Promise<void> {
    if (this.#host) return this.#host.restart(between);
    await this.stop();
    await between();
    await this.start();
  }

  /** Sends a message, with defaults for missing fields that every message needs. */
  send(fields: Readonly<Record<string, unknown>>): Promise<HttpAnswer> {
    return this.client.post('/sms/send', { auth: this.#token, sender, text: 'Hello', dcs: 'GSM', ...fields });
  }

  /** Sends a message that must be accepted. Returns its id. */
  async accept(fields: Readonly<Record<string, unknown>>): Promise<string> {
    const answer = await this.send(fields);
    assert.equal(answer.status, 200, answer.text);
    return textIn(answer.body, 'msgId');
  }

  async report(msgId: string): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.client.ask({ path: `/sms/dlr?auth=${this.#token}&messageId=${msgId}&details=1` });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  /** Waits for an event of a message. Returns its delivery report. */
  async event(msgId: string, wanted: string, limitMs?: number): Promise<Readonly<Record<string, unknown>>> {
    let last: unknown;
    return waitUntil(
      () => `${msgId} is ${wanted}, but ${JSON.stringify(last)}`,
      async () => {
        const report = await this.report(msgId);
        last = report['event'];
        return last === wanted ? report : undefined;
      },
      limitMs,
    );
  }

  async balance(): Promise<unknown> {
    const answer = await this.client.ask({ path: `/sms/balance?auth=${this.#token}` });
    return answer.body['clientBalance'];
  }

  /** The submit_sm that the simulator got for a receiver, in order. */
  submits(receiver: string): Submit[] {
    const destination = receiver.replace('+', '');
    return this.journal.filter(
      (entry): entry is Submit => entry.event === 'submit' && entry.destination === destination,
    );
  }

  /** Reads the store. The gateway is stopped meanwhile, unless this tour is a guest. */
  async readStore<T>(read: (store: StoreFile) => T): Promise<T> {
    await this.stop();
    using store = await StoreFile.read(this.#dataDir);
    return read(store);
  }

  async bound(links = 1): Promise<void> {
    await waitUntil(`${links} links are bound`, () => this.simulator.sessions === links);
  }

  /** Ends gateway and carriers, and checks the store's promises. A guest ends only its carriers: the host checks. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#host) return this.#leave();
    const faults = await this.readStore(storeFaults);
    // The carriers of a guest that a failed test left behind would keep the process alive.
    for (const guest of this.#guests) await guest.#simulator?.close();
    await this.#simulator?.close();
    rmSync(this.#dataDir, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  }

  async #leave(): Promise<void> {
    const isRunning = this.#host !== undefined && this.#host.#gateway !== undefined;
    for (const carrier of isRunning ? this.#carriers : []) {
      await this.operator.carrier.drain({ carrier });
    }
    await this.#simulator?.close();
  }

  async #administer(account: Readonly<Record<string, string>>, carriers: readonly TourCarrier[]): Promise<void> {
    const { operator } = this;
    done(await operator.account.add({ name: this.#account, currency: 'EUR', ...account }));
    // Routes of guests are for their account alone, so that all of them may have the same receivers.
    const own = this.#host && { account: this.#account };
    for (const { prefix, name: nameHere, route, ...settings } of carriers) {
      const name = this.carrierName(nameHere);
      this.#carriers.push(name);
      const texts = Object.fromEntries(Object.entries(settings).map(([setting, value]) => [setting, String(value)]));
      const port = String(settings.port ?? this.simulator.port);
      const login = { systemId: name, password: 'secret', host: '127.0.0.1' };
      done(await operator.carrier.add({ ...login, ...texts, name, port }));
      done(await operator.route.add({ prefix, carrier: name, ...own, ...route }));
      const prices = pricesOf({ [prefix]: '0.0075' });
      done(await operator.price.set({ list: 'default', currency: 'EUR', prices }));
    }
    this.#token = done(await operator.token.add({ account: this.#account })).token;
  }
}

/**
 * One gateway for the tests of a file that neither stop it nor count everything in its store. Each call is a guest: an
 * account with carriers of its own.
 */
export function sharedGateway(): (options?: TourOptions) => Promise<Tour> {
  let host: Promise<Tour> | undefined;
  let guests = 0;
  after(async () => (await host)?.[Symbol.asyncDispose]());
  return async (options = {}) => {
    host ??= Tour.open({ carriers: [] });
    return (await host).guest(`guest-${++guests}`, options);
  };
}

function needed<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the tour has not begun, or is stopped');
  return part;
}

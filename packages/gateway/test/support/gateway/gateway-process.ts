/* A gateway in a process of its own, for tests that kill it or read its streams. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child, type Ended } from './child.ts';
import { HttpClient, textIn, type HttpAnswer } from '../clients/http-client.ts';
import { Shown } from '../json.ts';
import { runMorsel } from './run-morsel.ts';

export interface GatewayProcessOptions {
  readonly dataDir: string;
  readonly logLevel?: string;
  /** Settings besides the data directory and the log level. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A program, with arguments, that runs the gateway, such as strace. */
  readonly under?: readonly string[];
  /** Another program that starts a gateway, instead of the command line. */
  readonly file?: string;
}

interface AddedCarrier {
  readonly name: string;
  readonly prefix: string;
  readonly port: number;
  readonly [setting: string]: string | number;
}

/** A gateway as an operator runs it: `morsel serve` in a process of its own, with its operator's API. */
export class GatewayProcess extends Child {
  readonly dataDir: string;

  /** Starts the gateway; `start` also waits until it is ready. */
  constructor({ dataDir, logLevel = 'warn', environment = {}, under = [], file }: GatewayProcessOptions) {
    const settings = { MORSEL_DATA_DIR: dataDir, MORSEL_LOG_LEVEL: logLevel };
    super(['serve', '--json'], {
      environment: { ...settings, ...environment },
      under,
      ...(file !== undefined && { file }),
    });
    this.dataDir = dataDir;
  }

  static start(options: GatewayProcessOptions): Promise<GatewayProcess> {
    return new GatewayProcess(options).untilReady();
  }

  /** The gateway's process id; 0 until the gateway is ready. */
  override get pid(): number {
    return this.#number('pid');
  }

  get httpPort(): number {
    return this.#number('httpPort');
  }

  get adminPort(): number {
    return this.#number('adminPort');
  }

  get smppPort(): number {
    return this.#number('smppPort');
  }

  get smppTlsPort(): number {
    return this.#number('smppTlsPort');
  }

  #number(name: string): number {
    return Number(this.ready[name] ?? 0);
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.httpPort}${path}`;
  }

  /** Calls the operator's API; throws if the API refuses the request. */
  async administer(method: 'GET' | 'POST', path: string, fields: object = {}): Promise<HttpAnswer> {
    if (this.isEnded) throw new Error(`the gateway has ended: ${this.errors}`);
    const key = readFileSync(join(this.dataDir, 'operator-key'), 'utf8').trim();
    const client = new HttpClient(this.adminPort, 1);
    try {
      const headers = { Authorization: `Bearer ${key}` };
      const answer =
        method === 'POST'
          ? await client.post(`/admin${path}`, fields, headers)
          : await client.ask({ path: `/admin${path}`, headers });
      if (answer.status !== 200) throw new Error(`${method} ${path} was refused: ${answer.text}`);
      return answer;
    } finally {
      client.close();
    }
  }

  /** Adds an account. Returns a token of the account. */
  async addAccount(account: { readonly name: string; readonly [setting: string]: string }): Promise<string> {
    await this.administer('POST', '/v1/accounts', { currency: 'EUR', ...account });
    return textIn((await this.administer('POST', `/v1/accounts/${account.name}/tokens`)).body, 'token');
  }

  /** Adds a carrier on this machine, with the route and the price of a prefix. */
  async addCarrier({ name, prefix, ...settings }: AddedCarrier): Promise<void> {
    const login = { host: '127.0.0.1', systemId: name, password: 'secret' };
    await this.administer('POST', '/v1/carriers', { ...login, name, ...settings });
    await this.administer('POST', '/v1/routes', { prefix, carrier: name });
    const prices = [{ prefix, price: '0.0075' }];
    await this.administer('POST', '/v1/price-lists/default/prices', { currency: 'EUR', prices });
  }

  /** Calls a view of the operator's API, for example `v1/status` or `v1/totals`. */
  async ask(path: string): Promise<Shown> {
    return new Shown(JSON.parse((await this.administer('GET', `/${path}`)).text));
  }

  /** Runs an operator's command in this process: many times faster than in a process of its own. */
  async morsel(...words: readonly string[]): Promise<Shown> {
    const { status, out, errors } = await runMorsel([...words, '--json'], { dataDir: this.dataDir });
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${errors}`);
    return new Shown(JSON.parse(out));
  }

  /** The signal goes to the gateway itself, even if another program runs it. */
  override signal(signal: NodeJS.Signals): void {
    if (this.pid > 0 && !this.isEnded) process.kill(this.pid, signal);
    else super.signal(signal);
  }

  /** Stops the gateway as an operator does; throws unless the gateway ends with status 0. */
  override async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    const ended = await super.stop(signal);
    if (signal === 'SIGTERM' && ended.status !== 0) {
      throw new Error(`the gateway ended with ${ended.status ?? ended.signal}: ${ended.errors}`);
    }
    return ended;
  }
}

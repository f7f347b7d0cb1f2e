import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.ts';
import { HttpClient } from './http-client.ts';
import type { HttpAnswer } from './http-client.ts';
import { waitUntil } from './wait-until.ts';

const program = join(import.meta.dirname, '../../../cli/src/morsel.ts');

export interface GatewayProcessOptions {
  readonly dataDir: string;
  readonly logLevel?: string;
  /** Settings beside those. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A gateway as an operator runs it: `morsel serve` in a process of its own, administered through its API. */
export class GatewayProcess implements AsyncDisposable {
  readonly dataDir: string;
  readonly child: Child;

  constructor({ dataDir, logLevel = 'warn', environment = {} }: GatewayProcessOptions) {
    this.dataDir = dataDir;
    this.child = new Child(program, {
      words: ['serve', '--json'],
      environment: {
        MORSEL_DATA_DIR: dataDir,
        MORSEL_HTTP_PORT: '0',
        MORSEL_ADMIN_PORT: '0',
        MORSEL_SMPP_PORT: '0',
        MORSEL_LOG_LEVEL: logLevel,
        ...environment,
      },
    });
  }

  /** The port that clients send to, once the gateway says that it is ready. */
  async ready(): Promise<number> {
    return waitUntil(
      () => `a ready line of the gateway, which printed ${this.child.output}${this.child.errors}`,
      () => {
        if (this.child.isEnded) throw new Error(`the gateway ended: ${this.child.output}${this.child.errors}`);
        const port = /"httpPort":(\d+)/.exec(this.child.output)?.[1];
        return port === undefined ? undefined : Number(port);
      },
      30_000,
    );
  }

  /** Asks at the operator's API; fails the test when it is refused. */
  async administer(method: 'GET' | 'POST', path: string, fields: object = {}): Promise<HttpAnswer> {
    const key = readFileSync(join(this.dataDir, 'operator-key'), 'utf8').trim();
    const port = Number(readFileSync(join(this.dataDir, 'admin-address'), 'utf8').trim().split(':').at(-1));
    const client = new HttpClient(port, 1);
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

  /** `kill -9`: nothing is said to anybody. */
  async kill(): Promise<void> {
    await this.child.end('SIGKILL');
  }

  /** Leaves nothing running when a test fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.child.isEnded) await this.kill();
  }

  /** Stops as an operator stops it. */
  async stop(): Promise<void> {
    const { code, signal } = await this.child.end('SIGTERM');
    if (code !== 0) throw new Error(`the gateway ended with ${code ?? signal}: ${this.child.errors}`);
  }
}

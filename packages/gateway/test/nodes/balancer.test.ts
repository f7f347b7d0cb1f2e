import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { connect } from '@morsel/smpp';
import { missing } from '../peers/needs.ts';
import { endsWithUs } from '../support/ends-with-us.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { Postgres } from '../support/store/postgres.ts';
import { runMorsel } from '../support/gateway/run-morsel.ts';
import { waitUntil } from '../support/wait-until.ts';

/*
 * Two nodes behind HAProxy. The settings of the nodes and the configuration of HAProxy are those of docs/nodes.md. Each
 * node is drained and started again while clients send messages.
 */

const skip = missing('postgres', '/usr/sbin/haproxy');
const page = readFileSync(join(import.meta.dirname, '../../../../docs/nodes.md'), 'utf8');
const pems = join(import.meta.dirname, '../../../smpp/vectors/tls');
const nodeProgram = join(import.meta.dirname, 'node-program.ts');
/** The machines of docs/nodes.md, each with the last number of its address. */
const machines = { gw1: 11, gw2: 12, lb1: 21 } as const;
const nodes = ['gw1', 'gw2'] as const;
type Node = (typeof nodes)[number];

/** The machines of docs/nodes.md as addresses of 127.0.0.0/8. */
class Machines implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'morsel-balancer-'));
  readonly #network = `127.${randomInt(1, 255)}.${randomInt(255)}`;
  readonly #gateways = new Map<Node, GatewayProcess>();
  readonly #postgres: Postgres;
  #balancer: ReturnType<typeof spawn> | undefined;

  private constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  static async start(): Promise<Machines> {
    const started = new Machines(await Postgres.start());
    try {
      for (const name of nodes) await started.startNode(name);
      started.#startBalancer();
    } catch (fault) {
      await started[Symbol.asyncDispose]();
      throw fault;
    }
    return started;
  }

  addressOf(machine: keyof typeof machines): string {
    return `${this.#network}.${machines[machine]}`;
  }

  folderOf(name: Node): string {
    return join(this.#folder, name);
  }

  gateway(name: Node): GatewayProcess {
    return this.#gateways.get(name) ?? assert.fail(`${name} runs`);
  }

  async startNode(name: Node): Promise<void> {
    const settings = this.#block('/etc/morsel/morsel.env', 'gw1').replaceAll('gw1', name);
    const own = settings.replaceAll(this.addressOf('gw1'), this.addressOf(name));
    const environment = {
      ...Object.fromEntries([...own.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value])),
      MORSEL_DATABASE_URL: this.#postgres.url,
      MORSEL_DATA_DIR: this.folderOf(name),
      MORSEL_MASTER_KEY_FILE: join(this.#folder, 'master-key'),
      MORSEL_HTTP_PORT: '8080',
      MORSEL_SMPP_PORT: '2775',
      TEST_NODE_TIMES: 'calm',
    };
    this.#gateways.set(
      name,
      await GatewayProcess.start({ dataDir: this.folderOf(name), environment, file: nodeProgram }),
    );
  }

  #startBalancer(): void {
    const certificate = join(this.#folder, 'morsel.pem');
    const files = ['carrier.pem', 'carrier.key'].map((name) => readFileSync(join(pems, name), 'utf8'));
    writeFileSync(certificate, files.join('\n'));
    const configuration = join(this.#folder, 'haproxy.cfg');
    const block = this.#block('/etc/haproxy/haproxy.cfg', 'lb1')
      .replaceAll('bind :', `bind ${this.addressOf('lb1')}:`)
      .replace('default-server', `default-server source ${this.addressOf('lb1')}`)
      .replaceAll('/etc/haproxy/morsel.pem', certificate);
    writeFileSync(configuration, block);
    this.#balancer = endsWithUs(spawn('/usr/sbin/haproxy', ['-db', '-f', configuration], { stdio: 'ignore' }));
  }

  /** A configuration file of a machine, from docs/nodes.md, with the addresses of this test. */
  #block(file: string, machine: keyof typeof machines): string {
    const found = new RegExp(`^\`\`\`\\w+\\n# ${file} on ${machine}\\b[^\\n]*\\n(.*?)^\`\`\`$`, 'ms').exec(page);
    return (found?.[1] ?? assert.fail(`docs/nodes.md has ${file}`)).replaceAll('10.0.0.', `${this.#network}.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#balancer?.kill('SIGKILL')) await once(this.#balancer, 'exit');
    await Promise.all([...this.#gateways.values()].map((gateway) => gateway.kill()));
    await this.#postgres[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Clients that send messages through the load balancer; some of them keep their connections. */
class Clients {
  /** Every answer that is not 200, and every broken connection. */
  readonly failures: string[] = [];
  answered = 0;
  #isOver = false;
  #ended: Promise<unknown> = Promise.resolve();
  readonly #host: string;
  readonly #token: string;

  constructor(host: string, token: string) {
    this.#host = host;
    this.#token = token;
  }

  start(): void {
    this.#ended = Promise.all(Array.from({ length: 6 }, (_, index) => this.#send(index % 2 === 0)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #send(keepAlive: boolean): Promise<void> {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!this.#isOver) {
      const answer = await this.ask(agent).catch((fault: unknown) => String(fault));
      this.answered += 1;
      if (answer !== '200') this.failures.push(answer);
    }
    agent.destroy();
  }

  ask(agent: Agent): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = { host: this.#host, path: '/sms/send', method: 'POST', agent, rejectUnauthorized: false };
    const message = { auth: this.#token, sender: 'Shop', receiver: '+41791112233', text: 'Hello', dcs: 'GSM' };
    const asked = request(options, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => void (text += chunk.toString()));
      answer.on('end', () => resolve(answer.statusCode === 200 ? '200' : `${answer.statusCode} ${text}`));
    });
    asked.on('error', reject).end(JSON.stringify(message));
    return promise;
  }
}

it('both nodes are drained and started again behind the load balancer, and no request fails', { skip }, async () => {
  await using there = await Machines.start();
  const gw1 = there.gateway('gw1');
  const token = await gw1.addAccount({ name: 'acme', balance: '100000' });
  await gw1.administer('POST', '/v1/accounts/acme/logins', { systemId: 'acme', password: 'Right-1' });
  await gw1.addCarrier({ name: 'one', prefix: '4', port: 1 });
  const host = there.addressOf('lb1');
  const clients = new Clients(host, token);
  const once200 = new Agent();
  await waitUntil('the load balancer sees a node', async () => {
    return (await clients.ask(once200).catch(() => '')) === '200';
  });
  const bind = async () => {
    const as = { command: 'bind_transceiver', system_id: 'acme', password: 'Right-1' } as const;
    return connect({ host, port: 2775, bind: as, onRequest: (_pdu, respond) => void respond(0) });
  };
  clients.start();
  for (const name of nodes) {
    const session = await bind();
    const sessions = await there.gateway(name).morsel('session', 'list');
    assert.match(sessions.text('items', '0', 'address'), /^127\.0\.0\.1:/, 'the address of the client');
    const { status, errors } = await runMorsel(['node', 'drain', name], { dataDir: there.folderOf(name) });
    assert.equal(status, 0, errors);
    await there.gateway(name).stop();
    const before = clients.answered;
    await waitUntil('the other node answers', () => clients.answered > before + 20);
    await there.startNode(name);
    if (session.phase === 'bound_trx') await session.unbind();
    else await (await bind()).unbind();
  }
  await clients.stop();
  assert.deepEqual(clients.failures, [], `of ${clients.answered}`);
});

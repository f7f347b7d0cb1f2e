/*
 * A rolling upgrade: one node after the other is drained, stopped and started as a newer program with migrations of its
 * own. Clients send all the time, and carriers answer and send inbound messages. Nothing is lost and nothing done twice.
 */

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startSimulator } from '@morsel/simulator';
import { missing } from '../peers/needs.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { HttpClient, textIn } from '../support/clients/http-client.ts';
import { moneyFaultsIn } from '../support/store/money-faults.ts';
import { Postgres, postgresFolder } from '../support/store/postgres.ts';
import { waitUntil } from '../support/wait-until.ts';

const checkout = join(import.meta.dirname, '../../../..');
const names = ['n1', 'n2'] as const;
type Name = (typeof names)[number];
const workers = 6;
const ours = '41791112233';

/** The first one may run beside older programs. The second one waits until the last of them has stopped. */
const newMigrations = {
  expand: 'alter table account add column nickname text;\nalter table message add column mood text;\n',
  contract: (known: number) =>
    `-- oldest program: ${known + 1}\n-- contract\nalter table account alter column nickname set default 'none';\n`,
};

/** Copies the program to a folder, with another release and two more migrations. Returns the file that starts it. */
function newerProgram(folder: string): { readonly file: string; readonly known: number } {
  cpSync(join(checkout, 'packages'), join(folder, 'packages'), {
    recursive: true,
    filter: (path) => !/\/(node_modules|test|long)$/.test(path),
  });
  const installed = join(folder, 'node_modules');
  mkdirSync(join(installed, '@morsel'), { recursive: true });
  for (const name of readdirSync(join(checkout, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@morsel') {
      symlinkSync(join(checkout, 'node_modules', name), join(installed, name));
    }
  }
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(installed, '@morsel', name));
  }
  const gateway = join(folder, 'packages/gateway');
  const manifest = join(gateway, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": "[^"]*"/, '"version": "9.9.9"'));
  const migrations = join(gateway, 'src/store/migrations/postgres');
  const known = readdirSync(migrations).filter((name) => name.endsWith('.sql')).length;
  const add = (number: number, sql: string) =>
    writeFileSync(join(migrations, `${String(number).padStart(4, '0')}-of-a-test.sql`), sql);
  add(known + 1, newMigrations.expand);
  add(known + 2, newMigrations.contract(known));
  return { file: join(folder, 'packages/cli/src/morsel.ts'), known };
}

/** Two nodes, the clients of an account and a carrier. */
class Upgrade implements AsyncDisposable {
  readonly #folder: string;
  readonly simulator: Awaited<ReturnType<typeof startSimulator>>;
  readonly postgres: Postgres;
  readonly #running = new Map<Name, { readonly node: GatewayProcess; readonly client: HttpClient }>();
  /** Each message of a client, and the node that answered. */
  readonly accepted = new Map<string, Name>();
  /** The receivers of what the carrier got. */
  readonly submitted: string[] = [];
  inbound = 0;
  isSending = true;
  #token = '';
  #traffic: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, postgres: Postgres, simulator: Upgrade['simulator']) {
    this.#folder = folder;
    this.postgres = postgres;
    this.simulator = simulator;
  }

  static async open(folder: string): Promise<Upgrade> {
    const simulator = await startSimulator({
      port: 0,
      receiptDelayMs: 50,
      retryMs: 100,
      journal: (entry) => {
        if (entry.event === 'submit') upgrade.submitted.push(entry.destination);
      },
    });
    const upgrade = new Upgrade(folder, await Postgres.start(), simulator);
    return upgrade;
  }

  /** Starts both nodes and the traffic. */
  async begin(): Promise<void> {
    for (const name of names) await this.start(name);
    await this.#equip();
    const sending = Array.from({ length: workers }, (_each, worker) => this.#sendOn(worker));
    this.#traffic = Promise.all([...sending, this.#hearOn()]);
  }

  async start(name: Name, file?: string): Promise<void> {
    const environment = {
      MORSEL_DATABASE_URL: this.postgres.url,
      MORSEL_NODE_NAME: name,
      MORSEL_MASTER_KEY_FILE: join(this.#folder, 'master-key'),
    };
    const dataDir = join(this.#folder, name);
    const node = await GatewayProcess.start({ dataDir, environment, ...(file !== undefined && { file }) });
    this.#running.set(name, { node, client: new HttpClient(node.httpPort) });
  }

  node(name: Name): GatewayProcess {
    return this.#running.get(name)?.node ?? assert.fail(`${name} runs`);
  }

  async stop(name: Name): Promise<void> {
    await this.node(name).stop();
    this.#running.get(name)?.client.close();
    this.#running.delete(name);
  }

  async #equip(): Promise<void> {
    const post = (path: string, fields = {}) => this.node('n1').administer('POST', `/v1/${path}`, fields);
    await post('accounts', { name: 'acme', currency: 'EUR', balance: '1000' });
    const login = { host: '127.0.0.1', port: this.simulator.port, systemId: 'us', password: 'secret' };
    await post('carriers', { name: 'alpha', ...login, links: 2, window: 50 });
    await post('routes', { prefix: '41', carrier: 'alpha' });
    await post('price-lists/default/prices', { currency: 'EUR', prices: [{ prefix: '41', price: '0.01' }] });
    await post('numbers', { number: `+${ours}`, account: 'acme' });
    this.#token = textIn((await post('accounts/acme/tokens')).body, 'token');
    await waitUntil('the links are bound', () => this.simulator.sessions === 2);
  }

  /** Sends one message after the other, each until a node has accepted it. */
  async #sendOn(worker: number): Promise<void> {
    for (let sent = 0; this.isSending; sent++) {
      const receiver = `4179${worker}${String(sent).padStart(6, '0')}`;
      const fields = { auth: this.#token, sender: '+41790000001', receiver: `+${receiver}`, text: 'Hello', dcs: 'GSM' };
      await waitUntil(`${receiver} is accepted`, async () => {
        const turn = names.toSorted(() => Math.random() - 0.5)[0] ?? 'n1';
        const client = this.#running.get(turn)?.client;
        const answer = await client?.post('/sms/send', { ...fields, idempotencyKey: receiver }).catch(() => undefined);
        if (answer?.status !== 200) {
          assert.ok(answer === undefined || answer.status === 503, answer?.text);
          return false;
        }
        textIn(answer.body, 'msgId');
        this.accepted.set(receiver, turn);
        return true;
      });
    }
  }

  /** Receives one inbound message after the other, each acknowledged to the carrier. */
  async #hearOn(): Promise<void> {
    for (; this.isSending; this.inbound++) {
      await this.simulator.sendInbound({ from: '41791230001', to: ours, text: `number ${this.inbound}` });
    }
  }

  /** Waits for this many more messages at each of the nodes. */
  async moreAt(...wanted: readonly Name[]): Promise<void> {
    const count = (name: Name) => [...this.accepted.values()].filter((each) => each === name).length;
    const goals = wanted.map((name) => [name, count(name) + 50] as const);
    await waitUntil(
      () => `more messages: ${goals.map(([name, goal]) => `${name} ${count(name)} of ${goal}`).join()}`,
      () => goals.every(([name, goal]) => count(name) >= goal),
      60_000,
    );
  }

  /** One row of texts. */
  async row(sql: string): Promise<readonly string[]> {
    return ((await this.postgres.query(sql)).rows[0] ?? []).map(String);
  }

  async endTraffic(): Promise<void> {
    this.isSending = false;
    await this.#traffic;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isSending = false;
    await this.#traffic.catch(() => undefined);
    for (const name of names) if (this.#running.has(name)) await this.stop(name);
    await this.simulator.close();
    await this.postgres[Symbol.asyncDispose]();
  }
}

it(
  'two nodes are upgraded one after the other while traffic goes on, and nothing is lost',
  {
    skip: missing(`${postgresFolder}/postgres`),
    timeout: 180_000,
  },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'morsel-upgrade-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const { file, known } = newerProgram(join(folder, 'newer'));
    await using upgrade = await Upgrade.open(folder);
    await upgrade.begin();
    const schema = () => upgrade.row('select version, oldest_program from morsel_schema');
    const releases = async () => (await upgrade.postgres.query('select release from member order by name')).rows.flat();
    const [[old]] = [await releases()];
    await upgrade.moreAt('n1', 'n2');
    assert.deepEqual(await schema(), [String(known), '1']);
    for (const [name, other, version, oldest] of [
      ['n1', 'n2', known + 1, 1],
      ['n2', 'n1', known + 2, known + 1],
    ] as const) {
      await upgrade.node(other).administer('POST', '/v1/nodes/drain', { name });
      await upgrade.moreAt(other);
      await upgrade.stop(name);
      await upgrade.moreAt(other);
      await upgrade.start(name, file);
      assert.deepEqual(await schema(), [version, oldest].map(String));
      assert.deepEqual(await releases(), name === 'n1' ? ['9.9.9', old] : ['9.9.9', '9.9.9']);
      await upgrade.node(other).administer('POST', '/v1/nodes/resume', { name });
      await upgrade.moreAt(name, other);
    }
    await upgrade.endTraffic();
    const sent = upgrade.accepted.size;
    await waitUntil('all is delivered', async () => {
      const [open] = await upgrade.row("select count(*) from part where state <> 'delivered'");
      return open === '0';
    });
    assert.deepEqual(await upgrade.row('select count(*), count(distinct receiver), sum(total_cost) from message'), [
      String(sent),
      String(sent),
      String(sent * 10_000),
    ]);
    assert.deepEqual(await upgrade.row('select balance from account'), [String(1_000_000_000 - sent * 10_000)]);
    assert.deepEqual(await upgrade.row('select count(*), count(distinct content) from inbound'), [
      String(upgrade.inbound),
      String(upgrade.inbound),
    ]);
    const once = new Set(upgrade.submitted);
    assert.deepEqual([upgrade.submitted.length, once.size], [sent, sent], 'the carrier got each message once');
    assert.deepEqual(
      [...upgrade.accepted.keys()].filter((receiver) => !once.has(receiver)),
      [],
    );
    const rows = async (sql: string) => {
      const { fields, rows: found } = await upgrade.postgres.query(sql);
      return found.map((row) => Object.fromEntries(fields.map((each, at) => [each.name, String(row[at])])));
    };
    assert.deepEqual(await moneyFaultsIn({ rows, strays: async () => [] }), []);
    t.diagnostic(`${sent} messages and ${upgrade.inbound} inbound messages`);
  },
);

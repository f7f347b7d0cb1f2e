import { once } from 'node:events';
import { createServer } from 'node:net';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { Shown } from '../support/json.ts';
import { listenAnywhere } from '../support/listen.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Sets up a gateway for the tests with other programs and for the benches, and waits for its states. */

/** The price of a part for the accounts of these tests. */
export const unitPrice = 0.0075;

export interface Account {
  readonly token: string;
  readonly balance: number;
}

export interface CarrierSettings {
  readonly port: number;
  readonly window: number;
  /** More options of `carrier add`, such as `--preset pair`. */
  readonly settings?: readonly string[];
}

/** Adds an account with a token, and a carrier with a route for 41. */
export async function setUp(program: GatewayProcess, carrier: CarrierSettings): Promise<Account> {
  const balance = 1_000_000;
  const { port, window, settings = [] } = carrier;
  const host = settings.includes('--host') ? [] : ['--host', '127.0.0.1'];
  const address = [...host, '--port', String(port)];
  const login = ['--system-id', 'morsel', '--password', 'secret'];
  const price = ['--prefix', '41', '--price', String(unitPrice)];
  const [token] = await Promise.all([
    program
      .morsel('account', 'add', 'acme', '--currency', 'EUR', '--balance', String(balance))
      .then(() => program.morsel('token', 'add', 'acme')),
    program
      .morsel('carrier', 'add', 'sink', ...address, ...login, '--window', String(window), ...settings)
      .then(() => program.morsel('route', 'add', '--prefix', '41', '--carrier', 'sink')),
    program.morsel('price', 'set', '--list', 'default', '--currency', 'EUR', ...price),
  ]);
  return { token: token.text('token'), balance };
}

/** Prepares a data directory for a gateway under another program, such as strace, which would disturb the setup. */
export async function setUpAndStop(dataDir: string, carrier: { port: number }): Promise<Account> {
  await using program = await GatewayProcess.start({ dataDir });
  const account = await setUp(program, { port: carrier.port, window: 10 });
  await program.stop();
  return account;
}

/** Waits until a link of the first carrier is up. */
export async function untilBound(program: GatewayProcess): Promise<void> {
  await waitUntil('a link is bound', async () => {
    const states = (await program.ask('v1/status')).at('carriers', '0', 'linkStates');
    return Array.isArray(states) && states.some((_state, at) => new Shown(states).at(String(at), 'state') === 'bound');
  });
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenAnywhere(server);
  server.close();
  await once(server, 'close');
  return port;
}

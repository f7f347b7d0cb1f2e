import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { Operator } from '@morsel/gateway/open-edge.ts';
import { parseMicros, toMicros } from '@morsel/api/values/money.ts';
import { versionAt } from '@morsel/gateway/core/money/price-list.ts';
import type { Rejection } from '@morsel/gateway/core/base/rejection.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { operatorCalls } from '@morsel/gateway/edge/admin/handlers.ts';

/*
 * Prepares the demo with the functions behind the operator's commands. Existing settings stay, because a user may have
 * changed them.
 */

export interface Simulated {
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
}

type Done = Result<unknown, Rejection>;

export const demoAccount = 'demo';
const listName = 'demo';
const carrierName = 'simulator';
const everyNumber = '';
const balance = '100';
/** If the balance is below this amount, the account is topped up. */
const balanceLow = parseMicros('10');
const price = toMicros(7_500n);
const currencyDefault = 'EUR';
/** The window of the simulated carrier. The simulator answers at once, so this is enough for a test of speed. */
const window = '50';

/** Prepares the demo, revokes the tokens of earlier starts, and returns a new token. */
export async function prepareDemo(operator: Operator, simulated: Simulated): Promise<Result<string, Rejection>> {
  for (const step of [prepareCarrier, preparePrice, prepareAccount, endTokens]) {
    const done = await step(operator, simulated);
    if (!done.ok) return done;
  }
  const made = await operatorCalls(operator).token.add({ account: demoAccount });
  return made.ok ? ok(made.value.token) : made;
}

/** Makes the carrier, and a route for every number unless a user made another route. */
async function prepareCarrier(operator: Operator, simulated: Simulated): Promise<Done> {
  const { carriers, routesByPrefix } = operator.snapshot();
  const simulators = [...carriers.values()].filter((carrier) => carrier.name.startsWith(carrierName));
  const present = simulators.find(({ settings }) => {
    const { host, port } = kindOf(settings).shown(settings);
    return host === simulated.host && port === simulated.port;
  });
  const route = routesByPrefix.get(everyNumber);
  const [leadsTo, ...others] = route?.carriers.map(({ carrier }) => carrier) ?? [];
  const isOurs = others.length === 0 && simulators.some((carrier) => carrier.id === leadsTo);
  const isRight = isOurs && leadsTo === present?.id;
  if (isOurs && !isRight) {
    const removed = await operatorCalls(operator).route.remove({ prefix: everyNumber });
    if (!removed.ok) return removed;
  }
  for (const old of simulators) if (old !== present) await retire(operator, old.name);
  const carrier = present ? ok({ name: present.name }) : await addSimulator(operator, simulated);
  if (!carrier.ok || isRight || (route && !isOurs)) return carrier;
  return operatorCalls(operator).route.add({ prefix: everyNumber, carrier: carrier.value.name });
}

/** Pauses the carrier while messages still belong to it. */
async function retire(operator: Operator, carrier: string): Promise<void> {
  const removed = await operatorCalls(operator).carrier.remove({ carrier });
  if (!removed.ok) await operatorCalls(operator).carrier.pause({ carrier });
}

function addSimulator(operator: Operator, simulated: Simulated): Promise<Result<{ name: string }, Rejection>> {
  const taken = new Set([...operator.snapshot().carriers.values()].map((carrier) => carrier.name));
  let name = carrierName;
  for (let count = 2; taken.has(name); count++) name = `${carrierName}-${count}`;
  const { host, port, systemId, password } = simulated;
  return operatorCalls(operator).carrier.add({ name, host, port, systemId, password, window });
}

async function preparePrice(operator: Operator): Promise<Done> {
  const list = [...operator.snapshot().priceLists.values()].find((each) => each.name === listName);
  const version = list && versionAt(list, operator.clock.now());
  if (version?.prices.get(everyNumber) !== undefined) return ok(null);
  const currency = list?.currency ?? currencyDefault;
  const prices = [{ prefix: everyNumber, price }];
  return operatorCalls(operator).price.set({ list: listName, currency, prices });
}

async function prepareAccount(operator: Operator): Promise<Done> {
  const found = await operatorCalls(operator).account.show({ account: demoAccount });
  if (!found.ok && found.error.code !== 'does_not_exist') return found;
  if (!found.ok) {
    const list = [...operator.snapshot().priceLists.values()].find((each) => each.name === listName);
    return operatorCalls(operator).account.add({
      name: demoAccount,
      currency: list?.currency ?? currencyDefault,
      balance,
      priceList: listName,
    });
  }
  if (!balanceLow.ok || found.value.balance >= balanceLow.value) return ok(null);
  return operatorCalls(operator).posting.topUp({ account: demoAccount, amount: balance, reason: 'demo' });
}

async function endTokens(operator: Operator): Promise<Done> {
  const tokens = await operatorCalls(operator).token.list({ account: demoAccount });
  if (!tokens.ok) return tokens;
  for (const { id, revokedAt } of tokens.value.items) {
    const ended = revokedAt === null ? await operatorCalls(operator).token.revoke({ id }) : ok(null);
    if (!ended.ok) return ended;
  }
  return ok(null);
}

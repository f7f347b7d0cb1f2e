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

/** Makes the carrier, or leads it to the present port, and a route for every number unless a user made another. */
async function prepareCarrier(operator: Operator, simulated: Simulated): Promise<Done> {
  const { carriers, routesByPrefix } = operator.snapshot();
  const calls = operatorCalls(operator);
  const present = [...carriers.values()].find(({ name }) => name === carrierName);
  const { host, port } = simulated;
  const carrier = present
    ? await calls.carrier.set({ carrier: carrierName, host, port })
    : await calls.carrier.add({ name: carrierName, ...simulated, window });
  if (!carrier.ok || routesByPrefix.get(everyNumber)) return carrier;
  return calls.route.add({ prefix: everyNumber, carrier: carrierName });
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

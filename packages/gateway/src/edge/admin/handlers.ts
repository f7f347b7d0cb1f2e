import { callsOf, jsonGiven, type AdminCalls } from '@morsel/api/admin/client.ts';
import { readJson, writeJson } from '@morsel/api/fields/exact-json.ts';
import { resources, type OperationName, type Resources } from '@morsel/api/admin/resources.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { perform, type Bound, type Handlers } from './bind.ts';
import { viewedWithCounts, direct } from './direct.ts';
import type { OperatorNeeds } from './operator-needs.ts';
import { operatorHandlers, operatorKeyHandlers } from './access/operators.ts';
import { changeSetHandlers } from './config/change-set.ts';
import { configHandlers } from './config/config.ts';
import { carrierHandlers } from './resources/routing/carrier.ts';
import { cdrHandlers } from './resources/message/cdr.ts';
import { alarmReceiverHandlers } from './resources/alarm/receiver.ts';
import { accountHandlers } from './resources/account/account.ts';
import { messageHandlers } from './resources/message/message.ts';
import { keywordHandlers, numberHandlers } from './resources/number/number.ts';
import { trafficHandlers } from './resources/running/traffic.ts';
import { gatewayHandlers, nodeHandlers } from './resources/running/gateway.ts';
import { inboundHandlers } from './resources/message/inbound.ts';
import { optOutHandlers } from './resources/number/opt-out.ts';
import { eventHandlers } from './resources/notification/event.ts';
import { routeHandlers } from './resources/routing/route.ts';
import { notificationHandlers } from './resources/notification/notification.ts';
import { priceHandlers } from './resources/money/price.ts';
import { sessionHandlers } from './resources/account/session.ts';
import { loginHandlers, tokenHandlers } from './resources/account/credentials.ts';
import { webhookHandlers, webhookSecretHandlers } from './resources/notification/webhook.ts';
import { privacyHandlers } from './resources/privacy/privacy.ts';

/* Joins each declared operation of the operator's API with its handler. */

/** The resources of which at least one operation needs a handler. */
type Handled = { [R in keyof Resources]: object extends Handlers<R> ? never : R }[keyof Resources];

/** TypeScript reports an error if an operation has neither a handler nor a decision or view. */
const handlers: { readonly [R in Handled]: Handlers<R> } & { readonly [R in keyof Resources]?: Handlers<R> } = {
  account: accountHandlers,
  alarmReceiver: alarmReceiverHandlers,
  token: tokenHandlers,
  login: loginHandlers,
  session: sessionHandlers,
  // A removed account may still have refused requests, so the views accept unknown account names.
  refusal: { list: viewedWithCounts('refusal.list'), summary: viewedWithCounts('refusal.summary') },
  carrier: carrierHandlers,
  message: messageHandlers,
  cdr: cdrHandlers,
  price: priceHandlers,
  route: routeHandlers,
  number: numberHandlers,
  keyword: keywordHandlers,
  inbound: inboundHandlers,
  event: eventHandlers,
  optOut: optOutHandlers,
  privacy: privacyHandlers,
  webhook: webhookHandlers,
  webhookSecret: webhookSecretHandlers,
  notification: notificationHandlers,
  node: nodeHandlers,
  traffic: trafficHandlers,
  operator: operatorHandlers,
  operatorKey: operatorKeyHandlers,
  changeSet: changeSetHandlers(operationNamed),
  config: configHandlers(operationNamed),
  gateway: gatewayHandlers,
};

export const bound: readonly Bound[] = Object.entries(resources).flatMap(([name, { operations }]) => {
  // The type of `handlers` guarantees a handler, a decision or a view for each name.
  const ofResource: { readonly [verb: string]: Bound['handle'] } = { ...(handlers[name as keyof Resources] as object) };
  return Object.entries<Operation>(operations).map(([verb, operation]) => ({
    name: `${name}.${verb}`,
    operation,
    handle: ofResource[verb] ?? direct(`${name}.${verb}` as OperationName),
  }));
});

function operationNamed(name: string): Bound {
  const found = bound.find((each) => each.name === name);
  if (!found) throw new Error(`the operator API has no operation ${name}`);
  return found;
}

/**
 * Makes functions that call the operations of a gateway in the same process. To call a gateway in another process, use
 * `createAdminClient`.
 */
export function operatorCalls(needs: OperatorNeeds): AdminCalls<Rejection> {
  return callsOf(async (operation, given) => {
    const found = bound.find((each) => each.operation === operation);
    if (!found) throw new Error('an operation of the operator API has no handler');
    const json = readJson(writeJson(jsonGiven(operation, given)));
    const done = await perform(found, needs, { ...Object(json) });
    return done.ok ? ok({ text: '', value: done.value }) : done;
  });
}

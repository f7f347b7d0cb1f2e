/* For tests: the words of stories (story.ts) about carriers, routes and costs. */

import type { Command } from '../../../../src/state/commands.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { toMessageId } from '../../../../src/core/base/message-id.ts';
import { readMessage } from '../../../../src/store/views/message/messages.ts';
import { carrierStatusCommand, removeRouteCommand, routeCommand, setRouteCommand } from '../routing-commands.ts';
import type { TestStore } from '../store.ts';
import { oneOf, type Said } from './story-accounts.ts';
import { readMs } from './story-prices.ts';

const statuses = ['active', 'paused', 'drained', 'removed'] as const;

function numberOf({ options }: Said, name: string): number | undefined {
  return options.has(name) ? Number(options.get(name)) : undefined;
}

/*
 *   route beta prefix=4179 rank=2   adds a carrier to a route (default: that for 41), or adds the route
 *   set-route carrier=alpha rank=2 weight=5 after=30s cost=4
 *   set-route to=beta & set-route match=43 account=acme
 *   no-route carrier=alpha & carrier-is alpha removed
 *   cost 1 = 9 EUR margin 11        what a message costs; `-` if that is not known
 */
export const routeMakers: { readonly [word: string]: (store: TestStore, said: Said) => Command } = {
  route: ({ now: at }, said) => {
    const { words, options } = said;
    return routeCommand({ at, carrier: words[0], prefix: options.get('prefix'), rank: numberOf(said, 'rank') });
  },
  'set-route': ({ now: at }, said) => {
    const { options } = said;
    const cost = options.get('cost');
    const settings = {
      rank: numberOf(said, 'rank'),
      weight: numberOf(said, 'weight'),
      ...(cost !== undefined && { cost: toMicros(BigInt(cost)) }),
      ...(options.has('after') && { waitMs: readMs(options.get('after')) }),
    };
    const newMatch = { prefix: options.get('match'), account: options.get('account') };
    const [prefix, carrier, newCarrier] = ['prefix', 'carrier', 'to'].map((name) => options.get(name));
    return setRouteCommand({ at, prefix, carrier, newCarrier, settings, newMatch });
  },
  'no-route': ({ now: at }, { options }) =>
    removeRouteCommand({ at, prefix: options.get('prefix'), carrier: options.get('carrier') }),
  'carrier-is': ({ now }, { words: [carrier = '', status] }) =>
    carrierStatusCommand(carrier, oneOf(statuses, status), now),
};

const firstMessage = 1_001;

export async function lookAtCost(store: TestStore, place = '1'): Promise<string> {
  const view = await readMessage(store.queries, toMessageId(firstMessage - 1 + Number(place)));
  const cost = view?.cost ? `${view.cost.amount} ${view.cost.currency}` : '-';
  return `${cost} margin ${view?.margin ?? '-'}`;
}

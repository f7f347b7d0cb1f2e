import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { parseSenderMatch } from '../../../../core/number/address.ts';
import { mayBegin } from '../../../../core/number/number-plan.ts';
import { followRoutes } from '../../../../flow/message/follow-routes.ts';
import type { Handlers } from '../../bind.ts';
import { decideOperation } from '../../direct.ts';
import { explainRoute } from './explain-route.ts';

/*
 * The handlers of routes. They convert senders and prefixes. Before the answer, they apply a change also to messages
 * that wait on the route. If the process stops too early, the next start applies the change to the remaining messages.
 */

export const routeHandlers: Handlers<'route'> = {
  /** Adds a route. Messages that wait already may use its carriers at once. */
  add: async (needs, input) => {
    const sender = senderIn('sender', input.sender);
    if (!sender.ok) return sender;
    const unknown = unknownPrefix('prefix', input.prefix);
    if (unknown) return unknown;
    const added = await decideOperation(needs, 'route.add', { input, made: sender.value ?? null });
    if (!added.ok) return added;
    const followed = await followRoutes(needs);
    return followed.ok ? ok(input) : followed;
  },
  set: async (needs, input) => {
    const sender = senderIn('sender', input.sender);
    if (!sender.ok) return sender;
    const newSender = senderIn('newSender', input.newSender);
    if (!newSender.ok) return newSender;
    const unknown = unknownPrefix('newPrefix', input.newPrefix);
    if (unknown) return unknown;
    const made = { sender: sender.value ?? null, newSender: newSender.value };
    const set = await decideOperation(needs, 'route.set', { input, made });
    if (!set.ok) return set;
    const followed = await followRoutes(needs);
    return followed.ok ? ok({ before: [], after: [], ...set.value, moved: followed.value }) : followed;
  },
  remove: async (needs, input) => {
    const sender = senderIn('sender', input.sender);
    if (!sender.ok) return sender;
    const removed = await decideOperation(needs, 'route.remove', { input, made: sender.value ?? null });
    return removed.ok ? ok(input) : removed;
  },
  explain: async (needs, asked) => explainRoute(needs, asked),
};

/** A prefix of numbers that cannot exist is a slip of the operator: messages would silently take another route. */
function unknownPrefix(field: string, prefix: string | undefined) {
  if (prefix === undefined || mayBegin(prefix)) return undefined;
  return invalid(field, `must begin with a country code: no country has one that begins with ${prefix.slice(0, 3)}`);
}

function senderIn<T extends null | undefined>(field: string, given: string | T): Result<string | T, Rejection> {
  if (typeof given !== 'string') return ok(given);
  const sender = parseSenderMatch(given);
  return sender.ok ? sender : invalid(field, sender.error);
}

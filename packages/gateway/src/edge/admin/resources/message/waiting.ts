import { parseSender } from '../../../../core/number/address.ts';
import { firstIdAt, instantOf, toMessageId, type MessageId } from '../../../../core/base/message-id.ts';
import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { accountNamed, carrierNamed } from '../../../../core/named.ts';
import type { Snapshot } from '../../../../core/snapshot.ts';
import type { message } from '@morsel/api/admin/message/message.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { firstPlace, parsePlace, placeText } from '../../../../core/message/waiting-place.ts';
import { everyWaiting, type WaitingFilter, type WaitingPage } from '../../../../store/views/message/waiting.ts';
import { waitingBatchMax } from '../../../../flow/message/follow-routes.ts';
import { missing } from '../../../../state/decide/decided.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';
import { wayWhenDue } from '../../../../flow/message/due.ts';

/*
 * Moves many waiting messages to other routes, or cancels many messages. One call is one step of at most one commit.
 * The answer says where the next step starts.
 */

/** The most messages that a step of a dry run counts. Counting takes some 20 ms of a reading thread. */
const countedMax = 2_000;

type Operations = typeof message.operations;
type Given = Omit<InputOf<Operations['reroute']>, 'id'> & Pick<InputOf<Operations['cancelMany']>, 'state'>;

interface Step {
  readonly page: WaitingPage;
  readonly isDryRun: boolean;
  readonly at: Instant;
  /** Messages that were accepted after this time are left out. All steps use the same time. */
  readonly until: Instant;
}

/** Moves waiting messages to the routes that new messages would take now. Their charges stay unchanged. */
export const rerouteMessages: Handlers<'message'>['reroute'] = async (needs, { id, ...given }) => {
  const step = id === undefined ? await readStep(needs, given, 'queued') : await readOne(needs, toMessageId(id), given);
  if (!step.ok) return step;
  const { page, isDryRun, at } = step.value;
  const snapshot = needs.snapshot();
  const ways = page.messages.map((each) => ({ message: each.id, way: wayWhenDue(snapshot, each, at) }));
  const messages = ways.flatMap(({ way, ...each }) => (way ? [{ ...each, ...way }] : []));
  const counts = { ...walked(step.value), withoutRoute: ways.length - messages.length };
  if (isDryRun || messages.length === 0) return ok({ ...counts, moved: 0, held: 0 });
  const done = await needs.journal.append<'reroute'>({ kind: 'reroute', at, messages, forgets: 'all' });
  if (!done.ok) return done;
  needs.control.lookForWaiting();
  return ok({ ...counts, ...done.value });
};

/** Cancels the unsent parts of many messages, in the same way as a single message is canceled. */
export const cancelMessages: Handlers<'message'>['cancelMany'] = async (needs, given) => {
  const step = await readStep(needs, given, given.state ?? null);
  if (!step.ok) return step;
  const { page, isDryRun, at } = step.value;
  if (isDryRun) return ok({ ...walked(step.value), canceled: 0, refunds: [] });
  const done = await Promise.all(
    page.messages.map(async ({ id, account }) => {
      const canceled = await needs.journal.append<'cancel'>({ kind: 'cancel', at, message: id, account: null });
      return { account, canceled };
    }),
  );
  const { accounts } = needs.snapshot();
  const refunds = new Map<string, Micros>();
  let canceled = 0;
  for (const { account, canceled: result } of done) {
    if (!result.ok) {
      // The message is final, or a carrier has it already. It stays as it is, and the step goes on with the next one.
      if (result.error.code === 'too_late') continue;
      return result;
    }
    canceled += 1;
    const currency = accounts.get(account)?.currency ?? '';
    refunds.set(currency, toMicros((refunds.get(currency) ?? zeroMicros) + result.value.refunded));
  }
  return ok({
    ...walked(step.value),
    canceled,
    refunds: [...refunds].map(([currency, amount]) => ({ currency, amount })),
  });
};

function walked({ page, until }: Step) {
  const { messages, next } = page;
  const parts = messages.reduce((sum, each) => sum + each.parts, 0);
  return { messages: messages.length, parts, next: next && placeText(next), until };
}

async function readStep(
  needs: OperatorNeeds,
  given: Given,
  state: WaitingFilter['state'],
): Promise<Result<Step, Rejection>> {
  const { all, dryRun: isDryRun, since } = given;
  if (!hasFilter(given) && !all) {
    return invalid('all', 'must be given if there is no filter by account, carrier, route, prefix, sender or since');
  }
  if (hasFilter(given) && all)
    return invalid('all', 'must not be combined with filters, because it means every message');
  const after = given.after === undefined ? firstPlace : parsePlace(given.after);
  if (!after) return invalid('after', 'must be the `next` of the answer to the step before');
  const at = needs.clock.now();
  // Messages with newer ids are left out. If the clock was set back, the newest ids are ahead of the clock.
  const until = Math.min(given.until ?? Number.POSITIVE_INFINITY, Math.max(at, instantOf(needs.nextId())) + 1);
  const filter = readFilter(needs.snapshot(), given);
  if (!filter.ok) return filter;
  const from = since === undefined ? everyWaiting.from : firstIdAt(since);
  const page = await needs.reader.ask('waiting', {
    filter: { ...filter.value, state, from, below: firstIdAt(until) },
    after,
    limit: isDryRun ? countedMax : waitingBatchMax,
  });
  return page.ok ? ok({ page: page.value, isDryRun, at, until }) : page;
}

/** A step with one message, by its id. The step has no messages if the message does not wait. */
async function readOne(needs: OperatorNeeds, id: MessageId, given: Given): Promise<Result<Step, Rejection>> {
  if (hasFilter(given) || given.all) return invalid('id', 'must not be combined with a filter');
  const found = await needs.reader.ask('waitingMessage', id);
  if (!found.ok) return found;
  const known = found.value ? found : await needs.reader.ask('message', id);
  if (!known.ok) return known;
  if (!known.value) return refused({ code: 'message_not_found' });
  const at = needs.clock.now();
  const messages = found.value ? [found.value] : [];
  return ok({ page: { messages, next: null }, isDryRun: given.dryRun, at, until: at });
}

/** Whether the request has a filter. The member `until` alone is not a filter. */
function hasFilter({ account, route, carrier, prefix, sender, since, state }: Given): boolean {
  return [account, route, carrier, prefix, sender, since, state].some((each) => each !== undefined);
}

/** Converts a filter to the stored form: ids in place of names, and numbers with a plus. */
function readFilter(snapshot: Snapshot, given: Given): Result<WaitingFilter, Rejection> {
  const owner = accountNamed(snapshot, given.account);
  if (!owner.ok) return owner;
  const through = given.carrier === undefined ? ok(undefined) : carrierNamed(snapshot, given.carrier);
  if (!through.ok) return through;
  const carrier = through.value;
  const routes = [...snapshot.routes.values()].filter(
    (route) =>
      (given.route === undefined || route.prefix === given.route) &&
      (!carrier || route.carriers.some((each) => each.carrier === carrier.id)),
  );
  if (given.route !== undefined && !routes.some((route) => route.prefix === given.route)) {
    const by = carrier ? ` through ${carrier.name}` : '';
    return missing(`there is no route for prefix ${given.route === '' ? '(any)' : given.route}${by}`);
  }
  const sender = given.sender === undefined ? ok(null) : parseSender(given.sender);
  if (!sender.ok) return sender;
  const isRouted = given.route !== undefined || carrier !== undefined;
  return ok({
    ...everyWaiting,
    account: owner.value?.id ?? null,
    routes: isRouted ? routes.map(({ id }) => id) : null,
    sender: sender.value,
    receiver: given.prefix === undefined ? null : `+${given.prefix}`,
  });
}

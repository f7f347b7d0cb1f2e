import { firstIdAt, instantOf } from '../../../../core/base/message-id.ts';
import { parseSender } from '../../../../core/number/address.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { accountNamed, carrierNamed } from '../../../../core/named.ts';
import type { Snapshot } from '../../../../core/snapshot.ts';
import type { message } from '@morsel/api/admin/message/message.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import { everyWaiting, type WaitingFilter } from '../../../../store/views/message/waiting.ts';
import { missing } from '../../../../state/decide/decided.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The filter of jobs that cancel or move waiting messages. */

type Operations = typeof message.operations;
type Given = InputOf<Operations['rerouteMany']> & Pick<InputOf<Operations['cancelMany']>, 'state'>;

/** Messages that are accepted after the start of the job are left out. */
export function readWaitingFilter(
  { clock, nextId, snapshot }: OperatorNeeds,
  given: Given,
): Result<WaitingFilter, Rejection> {
  const { all, since } = given;
  if (!hasFilter(given) && !all) {
    return invalid('all', 'must be given if there is no filter by account, carrier, route, prefix, sender or since');
  }
  if (hasFilter(given) && all)
    return invalid('all', 'must not be combined with filters, because it means every message');
  // If the clock was set back, the newest ids are ahead of the clock.
  const until = Math.min(given.until ?? Number.POSITIVE_INFINITY, Math.max(clock.now(), instantOf(nextId())) + 1);
  const filter = readFilter(snapshot(), given);
  if (!filter.ok) return filter;
  const from = since === undefined ? everyWaiting.from : firstIdAt(since);
  return ok({ ...filter.value, state: given.state ?? null, from, below: firstIdAt(until) });
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

import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { gateway } from '@morsel/api/admin/running/gateway.ts';
import { printable } from '@morsel/api/admin/shown.ts';
import type { Shell } from '../command.ts';
import { cardOf } from '../show.ts';
import { table } from '../table.ts';

/* The text of `status`: the gateway, and below it each carrier with its state. */

type Status = AnswerOf<typeof gateway.operations.status>;
type Carrier = Status['carriers'][number];

export function showStatus(status: Status, { hasColour }: Pick<Shell, 'hasColour'>): string {
  const rows = status.carriers.map((each) => ({
    name: each.name,
    state: stateOf(each),
    links: `${boundOf(each).length}/${each.links}`,
    waiting: String(each.waiting),
    doubt: String(each.inDoubtParts),
    error: errorOf(each),
  }));
  const columns = [
    { title: 'CARRIER', member: 'name' },
    { title: 'STATE', member: 'state', isState: true },
    { title: 'BOUND', member: 'links', isNumber: true },
    { title: 'WAITING', member: 'waiting', isNumber: true },
    { title: 'IN DOUBT', member: 'doubt', isNumber: true },
    { title: 'LAST ERROR', member: 'error' },
  ].map(({ member, ...column }) => ({
    ...column,
    of: (row: { readonly [name: string]: unknown }) => String(row[member]),
  }));
  const whenEmpty = 'there are no carriers yet; add a carrier with carrier add';
  return `${cardOf(gateway.operations.status, status, { hasColour })}\n\n${table({ columns, rows, whenEmpty }, hasColour)}`;
}

function boundOf({ linkStates }: Carrier): Carrier['linkStates'] {
  return linkStates.filter(({ state }) => state === 'bound' || state === 'throttled');
}

/** What the operator has set, or else what the links do. */
function stateOf(carrier: Carrier): string {
  if (carrier.status !== 'active') return carrier.status;
  const bound = boundOf(carrier);
  if (bound.length === 0) return 'not bound';
  if (bound.length < carrier.links) return 'partly bound';
  return bound.some(({ state }) => state === 'throttled') ? 'throttled' : 'bound';
}

/** The last error of a link that is not bound. */
function errorOf({ linkStates }: Carrier): string {
  const broken = linkStates.find(({ state, lastError }) => state !== 'bound' && lastError !== null);
  return printable(broken?.lastError ?? '');
}

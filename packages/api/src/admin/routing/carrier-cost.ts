import { toMicros, zeroMicros, type Micros } from '../../values/money.ts';
import { list, optional, orNone, pick, record } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { amount, count, currency, instant, name, oneOf, place, text } from '../../fields/fields.ts';
import { get, whole } from '../resource.ts';

/*
 * The cost of the parts that a carrier accepted. A step reads a limited number of messages; the command adds the steps
 * up.
 */

const one = { carrier: name({ summary: 'name of the carrier' }) };
const listOfCosts = {
  ...orNone(name({ summary: 'cost list of the carrier; null if it has none' })),
  cell: (named: string | null) => named ?? 'none: costs are known from routes alone',
};

const groups = ['account', 'prefix', 'day'] as const;

export const costFields = {
  group: orNone(
    text({ summary: 'account, prefix of the route, or day in UTC, as `by` asks; null without it', usual: '' }),
  ),
  unitCost: orNone(amount({ summary: 'cost of one part; null if it is unknown' })),
  currency: orNone(currency({ summary: 'currency of the cost' })),
  parts: count({ summary: 'number of parts at this cost', addsUp: true }),
};

const answer = {
  ...one,
  costList: listOfCosts,
  from: instant({ summary: 'start of the period' }),
  to: instant({ summary: 'end of the period, which is not included' }),
  costs: list(record(costFields, { summary: 'a number of parts at the same cost' }), {
    summary: 'number of parts at each cost',
  }),
  next: orNone(text({ summary: 'value of `after` in the next request; null on the last page' })),
};

const shownCost = { ...costFields, amount: orNone(amount({ summary: 'cost of all these parts' })) };
const total = { currency: currency({ summary: 'a currency' }), amount: amount({ summary: 'sum of the costs in it' }) };
const wholeAnswer = {
  ...pick(answer, 'carrier', 'costList', 'from', 'to'),
  costs: list(record(shownCost, { summary: 'a number of parts at the same cost' }), {
    summary: 'number of parts at each cost',
    whenEmpty: 'the carrier accepted no parts',
  }),
  totals: list(record(total, { summary: 'a sum' }), { summary: 'sums by currency' }),
};

function addedCosts({ next: _next, ...sum }: Values<typeof answer>): Values<typeof wholeAnswer> {
  const costs = sum.costs
    .toSorted((a, b) => (a.group ?? '').localeCompare(b.group ?? '') || byCost(a.unitCost, b.unitCost))
    .map((each) => ({
      ...each,
      amount: each.unitCost === null ? null : toMicros(each.unitCost * BigInt(each.parts)),
    }));
  const currencies = [...new Set(costs.flatMap((each) => each.currency ?? []))].toSorted();
  const totals = currencies.map((code) => {
    const amounts = costs.filter((each) => each.currency === code).map((each) => each.amount ?? zeroMicros);
    return { currency: code, amount: toMicros(amounts.reduce((before, each) => before + each, 0n)) };
  });
  return { ...sum, costs, totals };
}

/** Orders costs: the lowest first, unknown ones last. */
function byCost(cost: Micros | null, other: Micros | null): number {
  if (cost === null || other === null) return Number(cost === null) - Number(other === null);
  return Number(cost - other);
}

export const carrierCost = get('/carriers/{carrier}/cost', {
  summary: 'Sum the cost of the parts that a carrier accepted, to check its invoice',
  role: 'finance',
  input: {
    ...one,
    from: instant({
      summary: 'start: only parts accepted from this time on, such as 2026-01-01T12:00:00Z, or from this day in UTC',
    }),
    to: optional(instant({ summary: 'end: only parts accepted before this time or day in UTC', defaultText: 'now' })),
    by: optional(
      oneOf(groups, { summary: 'also divide the sums by account, by prefix of the route, or by day in UTC' }),
    ),
    after: optional(place(/^\d{1,16}$/, { typed: [] })),
  },
  answer,
  command: {
    examples: {
      'carrier cost alpha --from 2026-01-01 --to 2026-02-01': 'show the cost of the parts of January',
      'carrier cost alpha --from 2026-01-01 --by account': 'show which accounts the parts were for',
    },
    whole: whole(wholeAnswer, addedCosts),
  },
});

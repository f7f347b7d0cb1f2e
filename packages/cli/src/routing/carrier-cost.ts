import { orNone } from '@morsel/api/admin/compose.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { amount } from '@morsel/api/admin/fields.ts';
import { costFields } from '@morsel/api/admin/routing/carrier.ts';
import { compareCosts } from '@morsel/gateway/core/routing/carrier-cost.ts';
import { formatMicros, toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { formatInstant, type Instant } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../admin-client.ts';
import type { Command, Report, Shell } from '../command.ts';
import { tableOf, type Shown } from '../show.ts';
import { card } from '../table.ts';

/*
 * The command `carrier cost`. The command adds up the answers of several requests, because one request reads a limited
 * range of
 * messages.
 */

/** The number of parts at one cost. The currency is null if the cost is unknown. */
interface Line {
  readonly group: string | null;
  readonly unitCost: Micros | null;
  readonly currency: string | null;
  parts: bigint;
}

export async function runCarrierCost(
  given: { readonly [field: string]: string },
  shell: Shell,
): ReturnType<Command['run']> {
  const { cost } = gatewayCalls(shell).carrier;
  const lines = new Map<string, Line>();
  const wanted = { carrier: given['carrier'] ?? '', from: given['from'] ?? '', by: given['by'] };
  let to: Instant | string | undefined = given['to'];
  let after: string | undefined;
  for (;;) {
    const page = await cost({ ...wanted, to, after });
    if (!page.ok) return page;
    for (const { group, unitCost, currency, parts } of page.value.costs) {
      const key = `${currency} ${unitCost} ${group}`;
      const line = lines.get(key);
      if (line) line.parts += BigInt(parts);
      else lines.set(key, { group, unitCost, currency, parts: BigInt(parts) });
    }
    // Later requests name the end of the period of the first request, so that all requests cover the same period.
    ({ to } = page.value);
    if (page.value.next === null) return ok(reportOn(page.value, [...lines.values()], shell));
    after = page.value.next;
  }
}

interface Stretch {
  readonly carrier: string;
  readonly costList: string | null;
  readonly from: Instant;
  readonly to: Instant;
}

function reportOn({ carrier: name, costList, from, to }: Stretch, lines: readonly Line[], shell: Shell): Report {
  const costs = lines
    .toSorted((a, b) => (a.group ?? '').localeCompare(b.group ?? '') || compareCosts(a.unitCost, b.unitCost))
    .map(({ group, unitCost, currency, parts }) => ({
      group,
      unitCost,
      currency,
      parts: Number(parts),
      amount: unitCost === null ? null : toMicros(unitCost * parts),
    }));
  const currencies = [...new Set(lines.map(({ currency }) => currency))].filter((each) => each !== null).toSorted();
  const totals = currencies.map((currency) => {
    const amounts = costs.filter((each) => each.currency === currency).map((each) => each.amount ?? zeroMicros);
    return { currency, amount: toMicros(amounts.reduce((sum, each) => sum + each, 0n)) };
  });
  const [begin, end] = [new Date(from).toISOString(), new Date(to).toISOString()];
  const json = writeJson({ carrier: name, costList, from: begin, to: end, costs, totals });
  const head = card([
    ['carrier', name],
    ['cost list', costList ?? `none, so costs are known from routes alone: carrier set ${name} --cost-list LIST`],
    ['accepted', `from ${formatInstant(from)} to ${formatInstant(to)}`],
    ['takes', totals.map((each) => `${formatMicros(each.amount)} ${each.currency}`).join(', ') || 'nothing'],
  ]);
  const whenEmpty = 'the carrier accepted no parts';
  return { json, text: `${head}\n\n${tableOf(shownCosts, costs, { hasColour: shell.hasColour, whenEmpty })}` };
}

const total = orNone(amount({ summary: 'cost of all these parts' }));

const shownCosts: Shown<typeof costFields & { readonly amount: typeof total }> = {
  answer: { ...costFields, amount: total },
  columns: [
    'group',
    { title: 'A PART', of: ({ unitCost }) => (unitCost === null ? 'unknown' : formatMicros(unitCost)), isNumber: true },
    'currency',
    'parts',
    'amount',
  ],
};

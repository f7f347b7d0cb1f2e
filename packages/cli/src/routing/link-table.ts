import { linkFields } from '@morsel/api/admin/routing/carrier.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import type { Column } from '@morsel/api/admin/resource.ts';
import { type Instant, secondMs } from '@morsel/api/values/time.ts';
import { tableOf } from '../show.ts';

/* Formats the links of a carrier for `carrier show`. */

type Link = Values<typeof linkFields>;

export function linkTable(
  links: readonly Link[],
  { hasColour, now }: { readonly hasColour: boolean; readonly now: Instant },
): string {
  return tableOf({ answer: linkFields, columns: columns(now) }, links, { hasColour, whenEmpty: 'no link runs' });
}

const columns = (now: Instant): readonly Column<typeof linkFields>[] => [
  'link',
  'state',
  'node',
  'since',
  { title: 'NEXT', of: (link) => nextOf(link, now) },
  { title: 'IN FLIGHT', of: ({ windowUsed, windowMax }) => `${windowUsed}/${windowMax}`, isNumber: true },
  { title: 'PACE', of: paceOf, isNumber: true },
  'submitted',
  'accepted',
  'refused',
  'throttles',
  { title: 'SHARE', of: shareOf, isNumber: true },
  'surplus',
  'inDoubt',
  'reconnects',
  { title: 'AT', of: ({ lastErrorAt }) => linkFields.lastErrorAt.cell(lastErrorAt) },
  'lastError',
];

/** The pace that the link has found, and the throughput that is set, if both differ. */
function paceOf({ pace, throughput }: Link): string {
  if (pace === null) return 'no limit';
  return throughput === 0 || throughput === pace ? String(pace) : `${pace}/${throughput}`;
}

/** The share of recent answers that throttled, and the share that the carrier throttles by chance, at any pace. */
function shareOf({ throttledShare, chanceShare }: Link): string {
  const [all, chance] = [percentOf(throttledShare), percentOf(chanceShare)];
  return chance === 0 ? `${all} %` : `${all} %, ${chance} % by chance`;
}

/** A share in per cent, rounded to a tenth. */
function percentOf(share: number): number {
  return Math.round(1_000 * share) / 10;
}

/** When a link without a session connects again, or when a paused link sends again. */
function nextOf({ nextTryAt, pausedUntil }: Link, now: Instant): string {
  if (nextTryAt !== null) return `connects again in ${secondsUntil(nextTryAt, now)} s`;
  return pausedUntil === null ? '' : `sends again in ${secondsUntil(pausedUntil, now)} s`;
}

function secondsUntil(time: Instant, now: Instant): number {
  return Math.max(0, Math.ceil((time - now) / secondMs));
}

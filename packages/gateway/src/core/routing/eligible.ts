/**
 * Who may take a part that waits, as its place in the queue says it: parts of one route and account wait together when
 * the same carriers may have them, so that a claim looks at no part that it may not take.
 */
export interface Eligible {
  /** The carrier that alone may have it, as it has, or may have, another part of the message; null when there is none. */
  readonly holder: number | null;
  /** Carriers that had the part in this round of tries and could not take it: each gets it once a round. */
  readonly tried: readonly number[];
  /** Carriers that refused it for good, and whose refusal does not speak for others. */
  readonly refusedBy: readonly number[];
  /** Carriers that may not have it, as too little would be left of its price (core/money/margin.ts). */
  readonly barred: readonly number[];
  /** The carriers of its route by what they cost for it, equally dear ones together; empty where the route's figures say it. */
  readonly order: readonly (readonly number[])[];
}

export const allEligible: Eligible = { holder: null, tried: [], refusedBy: [], barred: [], order: [] };

/** How the queue spells it for a part that any carrier of its route may have: that of nearly all. */
export const allEligibleText = '';

/**
 * `=7` is held by carrier 7, `!3` was tried by carrier 3, `~5` was refused for good by carrier 5, `%2` may not go to carrier 2;
 * in this order, ids growing. `<4&6<1` has carriers 4 and 6 before carrier 1, which is dearer.
 */
export function eligibleText(eligible: Eligible): string {
  if (eligible === allEligible) return allEligibleText;
  const { holder, tried, refusedBy, barred, order } = eligible;
  return (
    marked('=', holder === null ? [] : [holder]) +
    marked('!', tried) +
    marked('~', refusedBy) +
    marked('%', barred) +
    order.map((ids) => `<${ids.toSorted((a, b) => a - b).join('&')}`).join('')
  );
}

function marked(mark: string, ids: readonly number[]): string {
  return ids
    .toSorted((a, b) => a - b)
    .map((id) => `${mark}${id}`)
    .join('');
}

export function parseEligible(text: string): Eligible {
  if (text === allEligibleText) return allEligible;
  const ids = (mark: string) =>
    [...text.matchAll(/([=!~%])(\d+)/g)].flatMap(([, found, id]) => (found === mark ? [Number(id)] : []));
  const order = text.split('<').slice(1);
  return {
    holder: ids('=')[0] ?? null,
    tried: ids('!'),
    refusedBy: ids('~'),
    barred: ids('%'),
    order: order.map((group) => group.split('&').map(Number)),
  };
}

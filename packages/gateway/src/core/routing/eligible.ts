/**
 * The carriers that may take a waiting part, and with which sender. Parts of one route and account with the same
 * eligible carriers wait together, so that a claim reads no part that it may not take.
 */
export interface Eligible {
  /**
   * The only carrier that may take it, because it has, or may have, another part of the message; null if there is none.
   */
  readonly holder: number | null;
  /** Carriers that could not take the part in this round of tries: each gets it once a round. */
  readonly tried: readonly number[];
  /** Carriers that refused it permanently, where the refusal says nothing about other carriers. */
  readonly refusedBy: readonly number[];
  /** Carriers with too small a margin (core/money/margin.ts). */
  readonly barred: readonly number[];
  /** The carriers of its route by cost, equal costs together; empty if the route's figures decide. */
  readonly order: readonly (readonly number[])[];
  /** Senders by the carriers that refused the message's own; each carrier gets its sender instead. */
  readonly senders?: ReadonlyMap<number, string>;
}

export const allEligible: Eligible = { holder: null, tried: [], refusedBy: [], barred: [], order: [] };

/** The text in the queue for "any carrier of the route", which nearly all parts have. */
export const allEligibleText = '';

/**
 * The text in the queue. `=7` is held by carrier 7, `!3` was tried by carrier 3, `~5` was refused permanently by
 * carrier 5, `%2` may not go to carrier 2; in this order, ids growing. `@7:41` goes to carrier 7 with the sender `A`, in
 * hexadecimal, so that no character of it is a mark. `<4&6<1` has carriers 4 and 6 before the dearer carrier 1.
 */
export function eligibleText(eligible: Eligible): string {
  if (eligible === allEligible) return allEligibleText;
  const { holder, tried, refusedBy, barred, order, senders = [] } = eligible;
  return (
    marked('=', holder === null ? [] : [holder]) +
    marked('!', tried) +
    marked('~', refusedBy) +
    marked('%', barred) +
    [...senders].map(([id, sender]) => `@${id}:${Buffer.from(sender).toString('hex')}`).join('') +
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
  const senders = [...text.matchAll(/@(\d+):([0-9a-f]+)/g)].map(
    ([, id, sender = '']) => [Number(id), Buffer.from(sender, 'hex').toString()] as const,
  );
  return {
    holder: ids('=')[0] ?? null,
    tried: ids('!'),
    refusedBy: ids('~'),
    barred: ids('%'),
    order: order.map((group) => group.split('&').map(Number)),
    ...(senders.length > 0 && { senders: new Map(senders) }),
  };
}

/**
 * The carriers that may take a waiting part, and the sender for each carrier. Parts of one route and account that have
 * the same eligible carriers wait in one queue. So a claim reads only parts that its carrier may take.
 */
export interface Eligible {
  /**
   * The only carrier that may take the part, because it has, or may have, another part of the message; null for none.
   */
  readonly holder: number | null;
  /** Carriers that failed to take the part in this round of tries. Each carrier gets one try in each round. */
  readonly tried: readonly number[];
  /** Carriers that refused the part permanently for a reason that other carriers may not have. */
  readonly refusedBy: readonly number[];
  /** Carriers that the part may not use, for example because they leave too small a margin (core/money/margin.ts). */
  readonly barred: readonly number[];
  /** The carriers of the route by cost, grouped by equal cost; empty if the costs in the route give the order. */
  readonly order: readonly (readonly number[])[];
  /** Replacement senders by carrier, for carriers that refused the sender of the message. */
  readonly senders?: ReadonlyMap<number, string>;
}

export const allEligible: Eligible = { holder: null, tried: [], refusedBy: [], barred: [], order: [] };

export const allEligibleText = '';

/**
 * Writes the eligible carriers as the text that is stored in the queue. `=7`: only carrier 7 may take the part. `!3`:
 * carrier 3 failed in this round. `~5`: carrier 5 refused the part permanently. `%2`: carrier 2 may not be used.
 * `@7:41`: carrier 7 gets the sender `A`, which is written in hexadecimal. `<4&6<1`: carriers 4 and 6 come before
 * carrier 1, which costs more. Ids are sorted, so that the same carriers always give the same text.
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

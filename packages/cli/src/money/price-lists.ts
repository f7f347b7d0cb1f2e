import type { KnownList } from '@morsel/api/admin/money/price-lists.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../admin-client.ts';
import type { Failure, Shell } from '../command.ts';

/* Checks the terms of a change of prices. */

export function baseOf({ bases }: KnownList): string | null {
  return bases.at(-1)?.base ?? null;
}

interface Terms {
  readonly list: string;
  readonly currency?: string | undefined;
  readonly base?: string | undefined;
  /** Time of the change; undefined for at once. */
  readonly effectiveAt?: Instant | undefined;
}

/** Refuses terms that do not fit the list; undefined if it does not exist yet. */
export async function askFitting(shell: Shell, terms: Terms): Promise<Result<KnownList | undefined, Failure>> {
  const { list, currency, base, effectiveAt } = terms;
  if (effectiveAt !== undefined && effectiveAt <= Date.now()) return refused(past);
  const { price: calls } = gatewayCalls(shell);
  const known = await calls.versions({ list });
  if (known.ok) {
    const reason = reasonAgainst(known.value, terms);
    return reason === undefined ? known : refused({ kind: 'refused', detail: reason });
  }
  if (known.error.code !== 'does_not_exist') return known;
  if (currency === undefined) {
    return refused({ ...known.error, detail: `${known.error.detail}: give --currency to create it` });
  }
  const below = base === undefined ? ok(undefined) : await calls.versions({ list: base });
  return below.ok ? ok(undefined) : below;
}

const past: Failure = {
  kind: 'refused',
  detail: 'effective must be in the future; without --effective the change takes effect at once',
};

function reasonAgainst(known: KnownList, { list, currency, base }: Terms): string | undefined {
  if (currency !== undefined && currency !== known.currency) {
    return `--currency: price list ${list} is in ${known.currency}, not ${currency}`;
  }
  if (base !== undefined && base !== baseOf(known)) {
    return `--base: price list ${list} has another base than ${base}: change the base with price base first`;
  }
  return undefined;
}

/** With milliseconds, so that scripts can give exactly the same time to another command. */
export function timeText(at: Instant): string {
  return new Date(at).toISOString();
}

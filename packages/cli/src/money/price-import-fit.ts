import { refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Failure, Shell } from '../command.ts';
import { askList } from './price-lists.ts';
import type { KnownList } from './price-lists.ts';

/* Whether what was said of an import fits its list: it is looked at before the file is, whether or not anything differs. */

/** What was said of an import beside its prices. */
export interface ImportTerms {
  readonly list: string;
  readonly currency: string | undefined;
  readonly base: string | undefined;
  /** As it was given; without it, the prices are to hold at once. */
  readonly effective: string | undefined;
  /** The instant that it names, or now. */
  readonly at: Instant;
}

/** The list as it stands, undefined if the import is to make it; or why it takes no such import. */
export async function askFitting(shell: Shell, terms: ImportTerms): Promise<Result<KnownList | undefined, Failure>> {
  const known = await askList(shell, terms.list);
  if (!known.ok) return known;
  const reason = known.value ? reasonAgainst(known.value, terms) : await reasonAgainstNew(shell, terms);
  return reason === undefined ? known : refused({ kind: 'refused', detail: reason });
}

function reasonAgainst(list: KnownList, { currency, base, effective, at }: ImportTerms): string | undefined {
  const { name } = list;
  if (currency !== undefined && currency !== list.currency) {
    return `currency: price list ${name} is in ${list.currency}, not ${currency}`;
  }
  if (base !== undefined && base !== list.base) {
    return `price list ${name} does not stand on ${base}: change that with price base first`;
  }
  if (effective !== undefined && at <= Date.now()) return isPast;
  return undefined;
}

const isPast = 'effective: it has to be a time to come; without it the prices hold at once';

async function reasonAgainstNew(shell: Shell, { base, effective, at }: ImportTerms): Promise<string | undefined> {
  if (effective !== undefined && at <= Date.now()) return isPast;
  if (base === undefined) return undefined;
  const below = await askList(shell, base);
  return below.ok && below.value ? undefined : `base: there is no price list named ${base}`;
}

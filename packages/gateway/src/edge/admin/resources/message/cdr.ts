import { ok } from '@morsel/api/values/result.ts';
import { numberType } from '../../../../core/number/number-type.ts';
import type { CdrRecord } from '../../../../store/views/message/cdrs.ts';
import { knownAccount } from '../../../../operator/account/known-account.ts';
import { knownCarrier } from '../../carrier-rows.ts';
import type { Handlers } from '../../bind.ts';

export const cdrHandlers: Handlers<'cdr'> = {
  list: async (needs, { after = '', ...input }) => {
    const known = await knownBoth(needs, input);
    if (!known.ok) return known;
    const found = await needs.reader.ask('cdrs', { ...input, after });
    if (!found.ok) return found;
    const { records, place, isMore, searchedTo } = found.value;
    const items = records.map(withCountry);
    return ok({ items, next: isMore ? place : null, ...(searchedTo !== undefined && { searchedTo }) });
  },
  follow: async (needs, input) => {
    const known = await knownBoth(needs, input);
    if (!known.ok) return known;
    const found = await needs.reader.ask('cdrs', input);
    return found.ok ? ok({ ...found.value, records: found.value.records.map(withCountry) }) : found;
  },
  check: async (needs, input) => {
    const owner = await knownAccount(needs, input.account);
    return owner.ok ? needs.reader.ask('cdrCheck', input) : owner;
  },
};

/** Reading threads of the store do not load the tables of numbers. */
function withCountry(record: CdrRecord) {
  return { ...record, country: numberType(record.receiver.slice(1)).region ?? null };
}

type Known = Parameters<typeof knownAccount>[0] & Parameters<typeof knownCarrier>[0];

async function knownBoth(
  needs: Known,
  input: { readonly account?: string | undefined; readonly carrier?: string | undefined },
) {
  const owner = await knownAccount(needs, input.account);
  return owner.ok ? knownCarrier(needs, input.carrier) : owner;
}

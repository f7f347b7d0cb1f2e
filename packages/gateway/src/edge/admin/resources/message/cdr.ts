import { ok } from '@morsel/api/values/result.ts';
import { numberType } from '../../../../core/number/number-type.ts';
import type { CdrRecord } from '../../../../store/views/message/cdrs.ts';
import { knownAccount } from '../../../../operator/account/known-account.ts';
import { knownCarrier } from '../../carrier-rows.ts';
import type { Handlers } from '../../bind.ts';

export const cdrHandlers: Handlers<'cdr'> = {
  list: async (needs, input) => {
    const owner = await knownAccount(needs, input.account);
    const known = owner.ok ? knownCarrier(needs, input.carrier) : owner;
    if (!known.ok) return known;
    const found = await needs.reader.ask('cdrs', input);
    if (!found.ok) return found;
    const { items, ...page } = found.value;
    return ok({ ...page, items: items.map(withCountry) });
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

import { ok } from '@morsel/api/values/result.ts';
import { numberType } from '../../../../core/number/number-type.ts';
import type { Handlers } from '../../bind.ts';
import { viewed } from '../../direct.ts';

export const cdrHandlers: Handlers<'cdr'> = {
  /** Converts numbers here, because the reading threads of the store do not load the number plan. */
  list: async (needs, input) => {
    const found = await viewed('cdr.list')(needs, input);
    if (!found.ok) return found;
    const items = found.value.items.map((each) => ({
      ...each,
      country: numberType(each.receiver.slice(1)).region ?? null,
    }));
    return ok({ ...found.value, items });
  },
};

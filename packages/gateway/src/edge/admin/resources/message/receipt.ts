import { ok, refused } from '@morsel/api/values/result.ts';
import { carrierRow } from '../../carrier-rows.ts';
import type { Handlers } from '../../bind.ts';

export const receiptHandlers: Handlers<'receipt'> = {
  unmatched: async (needs, { olderThan, until = Number.POSITIVE_INFINITY, ...input }) => {
    const known = input.carrier === undefined ? ok(null) : await carrierRow(needs, input.carrier);
    if (!known.ok) return known;
    const newest = needs.clock.now() - (olderThan ?? Number.NEGATIVE_INFINITY);
    return needs.reader.ask('unmatchedReceipts', { ...input, until: Math.min(until, newest) });
  },
  show: async (needs, { id }) => {
    const found = await needs.reader.ask('unmatchedReceipt', id);
    if (!found.ok) return found;
    if (found.value) return ok(found.value);
    const detail = `there is no unmatched receipt ${id}: it may have been matched since, or removed because of its age`;
    return refused({ code: 'does_not_exist', detail });
  },
};

import { ok } from '@morsel/api/values/result.ts';
import type { Handlers } from '../../bind.ts';

export const refusalHandlers: Handlers<'refusal'> = {
  // An account that was removed may still have refused requests, so a name need not be known.
  list: async (needs, input) => {
    await needs.counts.write();
    return needs.reader.ask('refusals', input);
  },
  summary: async (needs, input) => {
    await needs.counts.write();
    const found = await needs.reader.ask('refusalSums', input);
    return found.ok ? ok({ items: found.value, next: null }) : found;
  },
};

import { ok } from '@morsel/api/values/result.ts';
import { readNumber } from '../../../../core/number/owned-number.ts';
import type { Handlers } from '../../bind.ts';
import { decided, viewed } from '../../direct.ts';

/* The handlers of numbers and keywords, which convert numbers: the store's threads do not load the number plan. */

const read = (_needs: unknown, given: Parameters<typeof readNumber>[0]) => readNumber(given);

export const numberHandlers: Handlers<'number'> = {
  add: decided('number.add', read),
  set: decided('number.set', read),
  remove: decided('number.remove', read),
};

export const keywordHandlers: Handlers<'keyword'> = {
  add: decided('keyword.add', read),
  list: viewed('keyword.list', ({ number, ...input }) => {
    if (number === undefined) return ok(input);
    const owned = readNumber({ number, kind: input.kind });
    return owned.ok ? ok({ ...input, number: owned.value.number }) : owned;
  }),
  remove: decided('keyword.remove', read),
};

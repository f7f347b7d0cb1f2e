import { readNumber } from '../../../../core/number/owned-number.ts';
import type { Handlers } from '../../bind.ts';
import { decided, viewed } from '../../direct.ts';

/* Numbers and keywords. The number plan, which reads what an operator gives, is not loaded by the threads of the store. */

const read = (_needs: unknown, given: Parameters<typeof readNumber>[0]) => readNumber(given);

export const numberHandlers: Handlers<'number'> = {
  add: decided('number.add', read),
  set: decided('number.set', read),
  remove: decided('number.remove', read),
};

export const keywordHandlers: Handlers<'keyword'> = {
  add: decided('keyword.add', read),
  list: async (needs, { number: given, ...input }) => {
    const number = given === undefined ? undefined : readNumber({ number: given, kind: input.kind });
    if (number?.ok === false) return number;
    return viewed('keyword.list')(needs, { ...input, number: number?.value.number });
  },
  remove: decided('keyword.remove', read),
};

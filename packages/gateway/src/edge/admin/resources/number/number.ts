import {
  addKeyword,
  addNumber,
  readNumber,
  removeKeyword,
  removeNumber,
  setNumber,
} from '../../../../operator/number/numbers.ts';
import { numberKinds } from '@morsel/api/values/number.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { KeywordPlace } from '../../../../store/views/number/numbers.ts';
import type { Handlers } from '../../bind.ts';
import { knownAccount } from '../../../../operator/account/known-account.ts';
import { invalid } from '../../../../state/decide/decided.ts';

export const numberHandlers: Handlers<'number'> = {
  add: addNumber,
  set: setNumber,
  list: async (needs, { account, ...page }) => {
    const owner = await knownAccount(needs, account);
    return owner.ok ? needs.reader.ask('numbers', { account: owner.value, ...page }) : owner;
  },
  remove: removeNumber,
};

export const keywordHandlers: Handlers<'keyword'> = {
  add: addKeyword,
  list: async (needs, { number, kind, account, after, limit }) => {
    if (number === undefined && kind === 'prefix') return invalid('kind', 'must be given together with number');
    const owner = await knownAccount(needs, account);
    if (!owner.ok) return owner;
    const owned = number === undefined ? ok(null) : readNumber({ number, kind });
    if (!owned.ok) return owned;
    const input = { number: owned.value, account: owner.value, after: placeOf(after), limit };
    const found = await needs.reader.ask('keywords', input);
    if (!found.ok) return found;
    if (found.value) return ok(found.value);
    const detail = `no account has the ${kind} ${owned.value?.number ?? ''}: number list shows the account of each number`;
    return refused({ code: 'does_not_exist', detail });
  },
  remove: removeKeyword,
};

/**
 * Reads `after`, the place at which the last page of keywords ended. The declaration of the operation has already checked the
 * form of `after`.
 */
function placeOf(after: string | undefined): KeywordPlace | null {
  const [digits = '', given, word = ''] = (after ?? '').split('/');
  const kind = numberKinds.find((each) => each === given);
  return kind === undefined ? null : { digits, kind, word };
}

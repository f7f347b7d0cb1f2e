import { addLogin, removeLogin, setLogin } from '../../../operator/account/logins.ts';
import type { Handlers } from '../bind.ts';
import { knownAccount } from '../../../operator/account/known-account.ts';

export const loginHandlers: Handlers<'login'> = {
  add: addLogin,
  list: async (needs, { account, ...page }) => {
    const owner = await knownAccount(needs, account);
    return owner.ok ? needs.reader.ask('logins', { account: owner.value, ...page }) : owner;
  },
  set: setLogin,
  remove: removeLogin,
};

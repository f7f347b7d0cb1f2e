import { addLogin, removeLogin, setLogin } from '../../../../operator/account/logins.ts';
import { addToken, revokeToken, rotateToken } from '../../../../operator/account/tokens.ts';
import type { Handlers } from '../../bind.ts';
import { knownAccount } from '../../../../operator/account/known-account.ts';

export const tokenHandlers: Handlers<'token'> = {
  add: addToken,
  list: async (needs, { account, ...page }) => {
    const owner = await knownAccount(needs, account);
    return owner.ok ? needs.reader.ask('tokens', { account: owner.value, ...page }) : owner;
  },
  usage: async (needs, { account, ...page }) => {
    const owner = await knownAccount(needs, account);
    if (!owner.ok) return owner;
    await needs.counts.write();
    return needs.reader.ask('tokenUsage', { account: owner.value, ...page });
  },
  rotate: rotateToken,
  revoke: revokeToken,
};

export const loginHandlers: Handlers<'login'> = {
  add: addLogin,
  list: async (needs, { account, ...page }) => {
    const owner = await knownAccount(needs, account);
    return owner.ok ? needs.reader.ask('logins', { account: owner.value, ...page }) : owner;
  },
  set: setLogin,
  remove: removeLogin,
};

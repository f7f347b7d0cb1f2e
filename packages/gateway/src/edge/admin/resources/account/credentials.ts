import { addLogin, removeLogin, setLogin } from '../../../../operator/account/logins.ts';
import { makeToken, tokenRandomBytes } from '../../../../core/account/token.ts';
import type { Handlers } from '../../bind.ts';
import { decided } from '../../direct.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';
import { knownAccount } from '../../../../operator/account/known-account.ts';

const newToken = ({ random }: OperatorNeeds) => makeToken(random(tokenRandomBytes));

export const tokenHandlers: Handlers<'token'> = {
  add: decided('token.add', newToken),
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
  rotate: decided('token.rotate', newToken),
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

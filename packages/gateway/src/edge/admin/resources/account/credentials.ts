import { makePassword, passwordRandomBytes } from '../../../../core/account/login.ts';
import { makeToken, tokenRandomBytes } from '../../../../core/account/token.ts';
import type { Handlers } from '../../bind.ts';
import { decided, viewedWithCounts } from '../../direct.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

const newToken = ({ random }: OperatorNeeds) => makeToken(random.bytes(tokenRandomBytes));

export const tokenHandlers: Handlers<'token'> = {
  add: decided('token.add', newToken),
  rotate: decided('token.rotate', newToken),
  usage: viewedWithCounts('token.usage'),
};

const suffixLength = 4;

export const loginHandlers: Handlers<'login'> = {
  add: decided('login.add', async ({ random, passwords }, { password }) => {
    const secret = password ?? makePassword(random.bytes(passwordRandomBytes));
    const suffix = makePassword(random.bytes(passwordRandomBytes)).slice(0, suffixLength).toLowerCase();
    return { secret, suffix, hash: await passwords.hash(secret) };
  }),
  set: decided('login.set', async ({ passwords }, { password }) =>
    password === undefined ? undefined : passwords.hash(password),
  ),
};

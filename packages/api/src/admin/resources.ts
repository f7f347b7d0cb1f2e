import { carrier } from './carrier.ts';
import { account } from './account/account.ts';
import { keyword } from './keyword.ts';
import { login } from './login.ts';
import { number } from './number.ts';
import { session } from './session.ts';
import { token } from './token.ts';

/** Every resource of the operator's contract, in the order of the command line's help and of OpenAPI. */
export const resources = { account, token, login, session, carrier, number, keyword } as const;

export type Resources = typeof resources;

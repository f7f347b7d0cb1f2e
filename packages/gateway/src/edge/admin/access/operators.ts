import type { presentFields } from '@morsel/api/admin/access/sign-in.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { makeToken, tokenRandomBytes } from '../../../core/account/token.ts';
import { hashOperatorPassword } from '../../../flow/account/operator-password.ts';
import { base32Of, codeSecretBytes, octetsOf, stepOfCode } from '../../../core/account/one-time-code.ts';
import { linkMs } from '../console/links.ts';
import type { Handlers } from '../bind.ts';
import { decided, decideOperation, viewed } from '../direct.ts';
import type { OperatorNeeds } from '../operator-needs.ts';

/* Operators, their keys, and how they sign in to the console. */

const removeOperator = decided('operator.remove');

export const operatorHandlers: Handlers<'operator'> = {
  remove: async (needs, input) => {
    const removed = await removeOperator(needs, input);
    // Another person may get the same operator name later, and must not be able to use the link.
    if (removed.ok) needs.signInLinks.end(input.operator);
    return removed;
  },
  signInLink: async (needs, { operator: name }) => {
    const known = await viewed('operator.show')(needs, { operator: name });
    if (!known.ok) return known;
    const now = needs.clock.now();
    return ok({ link: needs.signInLinks.make(name, now), expiresAt: now + linkMs });
  },
  password: async (needs, { password, ...present }) => {
    const codeStep = await checkPresent(needs, present);
    return codeStep.ok ? setOwnPassword(needs, password, codeStep.value) : codeStep;
  },
  newCodes: async ({ random, caller: { name } }) => {
    const secret = base32Of(random.bytes(codeSecretBytes));
    return ok({ secret, uri: `otpauth://totp/Morsel:${encodeURIComponent(name)}?secret=${secret}&issuer=Morsel` });
  },
  codes: async (needs, input) => {
    const secret = octetsOf(input.secret);
    const step = secret && stepOfCode(secret, input.code, { now: needs.clock.now(), after: 0 });
    if (!secret || step === undefined)
      return invalid('code', 'is not the code of the app for this secret at this time');
    const checked = await checkPresent(needs, input);
    if (!checked.ok) return checked;
    const { name: operator } = needs.caller;
    const set = await decideOperation(needs, 'operator.codes', { input, made: { secret, step } });
    return set.ok ? ok({ operator }) : set;
  },
  self: async ({ caller: { name, role, key, address } }) => ok({ operator: name, role, key, address }),
};

/** Sets the caller's password. `codeStep` is the time step of the caller's one-time code; null without a code. */
export async function setOwnPassword(
  needs: OperatorNeeds,
  password: string,
  codeStep: number | null,
): Promise<Result<{ readonly operator: string }, Rejection>> {
  const { name: operator } = needs.caller;
  const hash = await hashOperatorPassword(needs.passwords, operator, password);
  if (!hash.ok) return hash;
  const [input, made] = [
    { password, presentPassword: '', presentCode: undefined },
    { hash: hash.value, codeStep },
  ];
  const set = await decideOperation(needs, 'operator.password', { input, made });
  return set.ok ? ok({ operator }) : set;
}

/** Checks the caller's present password and one-time code. Returns the time step of the code; null without codes. */
async function checkPresent(
  { signInGuard, caller: { name, address } }: OperatorNeeds,
  { presentPassword: password, presentCode: code }: Values<typeof presentFields>,
): Promise<Result<number | null, Rejection>> {
  const claim = { operator: name, password, code };
  const checked = await signInGuard.inTurn(address, () => signInGuard.check(claim, address));
  if (checked.ok) return checked;
  const { error } = checked;
  if (error.code === 'unauthorized') return invalid('presentPassword', 'must be your present password');
  return error.code === 'invalid_parameter' ? invalid('presentCode', error.detail) : checked;
}

export const operatorKeyHandlers: Handlers<'operatorKey'> = {
  add: decided('operatorKey.add', ({ random }) => makeToken(random.bytes(tokenRandomBytes), 'morselop')),
};

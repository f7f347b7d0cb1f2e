import type { presentFields } from '@morsel/api/admin/access/sign-in.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { makeToken, tokenRandomBytes } from '../../../core/account/token.ts';
import { setOperatorPassword } from '../../../flow/account/operator-password.ts';
import { invalid } from '../../../state/decide/decided.ts';
import { base32Of, codeSecretBytes, octetsOf, stepOfCode } from '../../../core/account/one-time-code.ts';
import { linkMs } from '../console/links.ts';
import type { Handlers } from '../bind.ts';
import { decided, viewed } from '../direct.ts';
import type { OperatorNeeds } from '../operator-needs.ts';

/* Operators, their keys, and how they sign in to the console. */

const removeOperator = decided('operator.remove');

export const operatorHandlers: Handlers<'operator'> = {
  remove: async (needs, input) => {
    const removed = await removeOperator(needs, input);
    // An operator who gets the same name later is another one.
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
    const { name } = needs.caller;
    const codeStep = await checkPresent(needs, present);
    if (!codeStep.ok) return codeStep;
    const set = await setOperatorPassword(needs, name, { password, codeStep: codeStep.value });
    return set.ok ? ok({ operator: name }) : set;
  },
  newCodes: async ({ random, caller: { name } }) => {
    const secret = base32Of(random.bytes(codeSecretBytes));
    return ok({ secret, uri: `otpauth://totp/Morsel:${encodeURIComponent(name)}?secret=${secret}&issuer=Morsel` });
  },
  codes: async (needs, { secret: typed, code, ...present }) => {
    const { caller, clock } = needs;
    const [operator, at] = [caller.name, clock.now()];
    const secret = octetsOf(typed);
    const step = secret && stepOfCode(secret, code, { now: at, after: 0 });
    if (!secret || step === undefined)
      return invalid('code', 'is not the code of the app for this secret at this time');
    const checked = await checkPresent(needs, present);
    if (!checked.ok) return checked;
    const set = await needs.journal.append<'set-operator-codes'>({
      kind: 'set-operator-codes',
      at,
      operator,
      secret,
      step,
    });
    return set.ok ? ok({ operator }) : set;
  },
  withoutCodes: async (needs, { operator }) => {
    const at = needs.clock.now();
    const without = { at, operator, secret: null, step: 0 };
    const set = await needs.journal.append<'set-operator-codes'>({ kind: 'set-operator-codes', ...without });
    return set.ok ? ok({ operator }) : set;
  },
  self: async ({ caller: { name, role, key, address } }) => ok({ operator: name, role, key, address }),
};

/** Checks the present password and code of the caller, like a sign-in. Returns the step of the code; null without codes. */
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

import type { operator } from '@morsel/api/admin/access/operator.ts';
import type { presentFields } from '@morsel/api/admin/access/sign-in.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { addOperator, addOperatorKey, removeOperator, revokeOperatorKey } from '../../../operator/access/operators.ts';
import { setOperatorPassword } from '../../../flow/account/operator-password.ts';
import { change } from '../../../flow/change.ts';
import { invalid } from '../../../state/decide/decided.ts';
import { base32Of, codeSecretBytes, octetsOf, stepOfCode } from '../../../core/account/one-time-code.ts';
import { linkMs } from '../console/links.ts';
import type { Handlers } from '../bind.ts';
import type { OperatorNeeds } from '../operator-needs.ts';

/* Operators, their keys, and how they sign in to the console. */

type Row = AnswerOf<typeof operator.operations.show>;

export const operatorHandlers: Handlers<'operator'> = {
  add: addOperator,
  set: async (needs, { operator: name, role }) => {
    const at = needs.clock.now();
    const set = await change<'set-operator'>(needs, { kind: 'set-operator', at, name, role });
    return set.ok ? operatorRow(needs, name) : set;
  },
  list: async (needs, input) => {
    const found = await needs.reader.ask('operators', input);
    if (!found.ok) return found;
    const { items, next } = found.value;
    return ok({ items: items.map(({ name, ...row }) => ({ operator: name, ...row })), next });
  },
  show: async (needs, { operator: name }) => operatorRow(needs, name),
  remove: async (needs, input) => {
    const removed = await removeOperator(needs, input);
    // An operator who gets the same name later is another one.
    if (removed.ok) needs.signInLinks.end(input.operator);
    return removed;
  },
  signInLink: async (needs, { operator: name }) => {
    const known = await operatorRow(needs, name);
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
    const secret = base32Of(random(codeSecretBytes));
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

async function operatorRow(needs: OperatorNeeds, wanted: string): Promise<Result<Row, Rejection>> {
  const found = await needs.reader.ask('operator', wanted);
  if (!found.ok) return found;
  if (!found.value) return refused({ code: 'does_not_exist', detail: `there is no operator named ${wanted}` });
  const { name, ...row } = found.value;
  return ok({ operator: name, ...row });
}

export const operatorKeyHandlers: Handlers<'operatorKey'> = {
  add: addOperatorKey,
  list: async (needs, input) => {
    const known = input.operator === undefined ? ok(null) : await operatorRow(needs, input.operator);
    return known.ok ? needs.reader.ask('operatorKeys', input) : known;
  },
  sessions: async (needs, input) =>
    needs.reader.ask('operatorKeys', { ...input, operator: needs.caller.name, kind: 'session' }),
  end: async (needs, { id }) => {
    const own = needs.snapshot().operatorKeys.get(id);
    if (own?.operator !== needs.caller.name || own.kind !== 'session') {
      return refused({ code: 'does_not_exist', detail: `you have no session with the id ${id}` });
    }
    const ended = await revokeOperatorKey(needs, { id });
    return ended.ok ? ok({ id }) : ended;
  },
  revoke: revokeOperatorKey,
};

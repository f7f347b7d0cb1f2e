import type { operator } from '@morsel/api/admin/access/operator.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { addOperator, addOperatorKey, removeOperator, revokeOperatorKey } from '../../../operator/access/operators.ts';
import { change } from '../../../operator/change.ts';
import type { Handlers } from '../bind.ts';
import type { OperatorNeeds } from '../operator-needs.ts';

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
  remove: removeOperator,
  self: async ({ caller: { name, role, key, address } }) => ok({ operator: name, role, key, address }),
};

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
  revoke: revokeOperatorKey,
};

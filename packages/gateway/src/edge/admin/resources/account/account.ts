/* Handles the operations on accounts. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { ruleSettingsOf } from '../../../../core/account/rules.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { change } from '../../../../flow/change.ts';
import { addAccount, setAccount, setAccountStatus } from '../../../../operator/account/accounts.ts';
import type { AccountView } from '../../../../store/views/account/accounts.ts';
import type { Handlers } from '../../bind.ts';
import { knownAccount, unknownAccount, type KnownAccountNeeds } from '../../../../operator/account/known-account.ts';

export const accountHandlers: Handlers<'account'> = {
  add: async (needs, input) => after(await addAccount(needs, input), () => one(needs, input.name)),
  list: async (needs, page) => {
    const found = await needs.reader.ask('accounts', { now: needs.clock.now(), ...page });
    return found.ok ? ok({ ...found.value, items: found.value.items.map(rowOf) }) : found;
  },
  show: (needs, { account }) => one(needs, account),
  set: async (needs, input) => after(await setAccount(needs, input), () => one(needs, input.account)),
  suspend: async (needs, { account }) =>
    after(await setAccountStatus(needs, account, 'suspended'), () => one(needs, account)),
  resume: async (needs, { account }) =>
    after(await setAccountStatus(needs, account, 'active'), () => one(needs, account)),
  remove: async (needs, { account }) =>
    after(await setAccountStatus(needs, account, 'removed'), async () => ok({ account })),
  erase: async (needs, { account }) => {
    const at = needs.clock.now();
    return after(await change<'erase-keys'>(needs, { kind: 'erase-keys', at, account }), async () => {
      // The write-ahead log has the keys until it is emptied.
      await needs.journal.clean('empty-wal');
      return ok({ account });
    });
  },
  rules: async (needs, { account, ...page }) => {
    const owner = await knownAccount(needs, account);
    if (!owner.ok) return owner;
    await needs.counts.write();
    return needs.reader.ask('ruleHits', { account: owner.value, ...page });
  },
};

type Row = ReturnType<typeof rowOf>;

async function after<T>(
  step: Result<unknown, Rejection>,
  next: () => Promise<Result<T, Rejection>>,
): Promise<Result<T, Rejection>> {
  return step.ok ? next() : step;
}

async function one({ reader, clock }: KnownAccountNeeds, name: string): Promise<Result<Row, Rejection>> {
  const found = await reader.ask('account', { name, now: clock.now() });
  if (!found.ok) return found;
  return found.value ? ok(rowOf(found.value)) : unknownAccount(name);
}

function rowOf({ spent, priceListName, receiptWaitMs, rules, ...account }: AccountView) {
  return {
    ...account,
    priceList: priceListName,
    receiptWaitSeconds: receiptWaitMs / secondMs,
    spentDay: spent.day,
    spentMonth: spent.month,
    ...ruleSettingsOf(rules),
  };
}

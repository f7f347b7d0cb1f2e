import { ok } from '@morsel/api/values/result.ts';
import { change } from '../../../../flow/change.ts';
import type { Handlers } from '../../bind.ts';
import { decided, viewedWithCounts } from '../../direct.ts';
import { rulesIn } from './account-rules.ts';

export const accountHandlers: Handlers<'account'> = {
  add: async (needs, input) => {
    const rules = rulesIn(input);
    return rules.ok ? decided('account.add', () => rules.value)(needs, input) : rules;
  },
  set: async (needs, input) => {
    const rules = rulesIn(input);
    return rules.ok ? decided('account.set', () => rules.value)(needs, input) : rules;
  },
  erase: async (needs, { account }) => {
    const erased = await change<'erase-keys'>(needs, { kind: 'erase-keys', at: needs.clock.now(), account });
    if (!erased.ok) return erased;
    // The write-ahead log has the keys until it is emptied.
    await needs.journal.clean('empty-wal');
    return ok({ account });
  },
  rules: viewedWithCounts('account.rules'),
};

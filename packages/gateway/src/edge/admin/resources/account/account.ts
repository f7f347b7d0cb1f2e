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
  erase: async (needs, input) => {
    const erased = await decided('account.erase')(needs, input);
    // The write-ahead log has the keys until it is emptied.
    if (erased.ok) await needs.journal.clean('empty-wal');
    return erased;
  },
  rules: viewedWithCounts('account.rules'),
};

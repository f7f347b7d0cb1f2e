import { ok } from '@morsel/api/values/result.ts';
import { lowestAbove } from '../../../../core/money/ledger.ts';
import { change } from '../../../../flow/change.ts';
import type { LowBalance } from '../../../../state/decide/notification/alert.ts';
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
    if (!rules.ok) return rules;
    const set = await decided('account.set', () => rules.value)(needs, input);
    if (!set.ok || input.lowBalance === undefined) return set;
    const { lowBalance, balance } = set.value;
    const threshold = lowestAbove(lowBalance, balance);
    if (threshold !== null) needs.lowBalance?.(input.account, { threshold, balance });
    return set;
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

const adjust = decided('posting.adjust');

export const postingHandlers: Handlers<'posting'> = {
  adjust: async (needs, input) => {
    const adjusted = await adjust(needs, input);
    if (!adjusted.ok) return adjusted;
    const { account, alert }: { readonly account: string; readonly alert?: LowBalance } = adjusted.value;
    if (alert) needs.lowBalance?.(account, alert);
    return adjusted;
  },
};

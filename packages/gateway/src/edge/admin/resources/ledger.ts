import { ok } from '@morsel/api/values/result.ts';
import type { Handlers } from '../bind.ts';
import { unknownAccount } from '../../../operator/account/known-account.ts';

export const ledgerHandlers: Handlers<'ledger'> = {
  check: async ({ reader }, input) => {
    const found = await reader.ask('ledgerCheck', input);
    if (!found.ok) return found;
    return found.value ? ok(found.value) : unknownAccount(input.account ?? '');
  },
};

import { makeSecret, secretBytes } from '../../../../core/notification/signature.ts';
import type { Handlers } from '../../bind.ts';
import { decided, decidedIf, viewedWithCounts } from '../../direct.ts';
import { rulesIn } from './account-rules.ts';

export const accountHandlers: Handlers<'account'> = {
  add: decidedIf('account.add', (_needs, input) => rulesIn(input)),
  set: decidedIf('account.set', (_needs, input) => rulesIn(input)),
  erase: async (needs, input) => {
    const erased = await decided('account.erase')(needs, input);
    // The write-ahead log has the erased keys until it is emptied.
    if (erased.ok) await needs.journal.clean('empty-wal');
    return erased;
  },
  callbackSecret: decided('account.callbackSecret', ({ random }) => makeSecret(random.bytes(secretBytes))),
  rules: viewedWithCounts('account.rules'),
};

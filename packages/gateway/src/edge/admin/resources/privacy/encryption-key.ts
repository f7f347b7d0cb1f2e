import { change } from '../../../../flow/change.ts';
import type { Handlers } from '../../bind.ts';

export const encryptionKeyHandlers: Handlers<'encryptionKey'> = {
  list: ({ reader }, page) => reader.ask('encryptionKeys', page),
  rotate: (needs, { account }) =>
    change<'rotate-keys'>(needs, { kind: 'rotate-keys', at: needs.clock.now(), account: account ?? null }),
  rewrap: (needs) => change<'rewrap-keys'>(needs, { kind: 'rewrap-keys', at: needs.clock.now() }),
};

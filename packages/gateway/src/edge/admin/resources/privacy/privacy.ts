import { ok } from '@morsel/api/values/result.ts';
import type { Handlers } from '../../bind.ts';

export const retentionHandlers: Handlers<'retention'> = {
  list: async ({ reader, clock }) => {
    const read = await reader.ask('retention', clock.now());
    return read.ok ? ok({ items: read.value.map(({ before: _before, ...row }) => row), next: null }) : read;
  },
};

import { ok } from '@morsel/api/values/result.ts';
import type { Handlers } from '../../bind.ts';
import { viewed } from '../../direct.ts';
import { notificationRow } from '../../notification-row.ts';

export const notificationHandlers: Handlers<'notification'> = {
  list: async (needs, input) => {
    const found = await viewed('notification.list')(needs, input);
    return found.ok
      ? ok({ ...found.value, items: found.value.items.map((each) => notificationRow(needs, each)) })
      : found;
  },
  show: async (needs, input) => {
    const found = await viewed('notification.show')(needs, input);
    return found.ok ? ok(notificationRow(needs, found.value)) : found;
  },
};

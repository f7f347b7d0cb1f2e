import { ok, refused } from '@morsel/api/values/result.ts';
import { knownOwner } from '../../../../operator/notification/webhooks.ts';
import type { Handlers } from '../../bind.ts';
import { notificationRow } from '../../notification-row.ts';

export const notificationHandlers: Handlers<'notification'> = {
  list: async (needs, { account, webhook, ...page }) => {
    const whose = await knownOwner(needs, { account, webhook });
    if (!whose.ok) return whose;
    const found = await needs.reader.ask('notifications', { ...page, ...whose.value });
    return found.ok
      ? ok({ ...found.value, items: found.value.items.map((each) => notificationRow(needs, each)) })
      : found;
  },
  show: async (needs, { notification: id }) => {
    const found = await needs.reader.ask('notification', id);
    if (!found.ok) return found;
    return found.value
      ? ok({ ...found.value, ...notificationRow(needs, found.value) })
      : refused({ code: 'does_not_exist', detail: `there is no notification ${id}` });
  },
};

import { ok } from '@morsel/api/values/result.ts';
import type { ShownNotification } from '../../../../store/views/notification/notification-list.ts';
import type { Handlers } from '../../bind.ts';
import { viewed } from '../../direct.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

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

/** Adds the reason why the gateway does not deliver a notification now. Only the memory knows the bound sessions. */
export function notificationRow<Row extends ShownNotification>(
  { sessions }: Pick<OperatorNeeds, 'sessions'>,
  row: Row,
): Row {
  if (row.heldBy === null) return row;
  const isBound = row.bySession && sessions.receivers(row.accountId).length > 0;
  return isBound ? { ...row, heldBy: null } : { ...row, due: null };
}

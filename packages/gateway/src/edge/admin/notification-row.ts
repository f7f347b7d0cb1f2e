import type { ShownNotification } from '../../store/views/notification/notification-list.ts';
import type { Sessions } from '../clients/smpp/sessions.ts';

/** Adds the reason why the gateway does not deliver a notification now. Only the memory knows the bound sessions. */
export function notificationRow<Row extends ShownNotification>(
  { sessions }: { readonly sessions: Pick<Sessions, 'receivers'> },
  row: Row,
): Row {
  if (row.heldBy === null) return row;
  const isBound = row.bySession && sessions.receivers(row.accountId).length > 0;
  return isBound ? { ...row, heldBy: null } : { ...row, due: null };
}

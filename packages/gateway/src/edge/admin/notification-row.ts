import type { notification } from '@morsel/api/admin/notification/notification.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { NotificationSummary } from '../../store/views/notification/notification-list.ts';
import type { Sessions } from '../smpp/sessions.ts';

type Shown = AnswerOf<typeof notification.operations.list>['items'][number];

/** Adds to a notification the reason why the gateway does not deliver it now, for example because no session is bound. */
export function notificationRow(
  { sessions }: { readonly sessions: Pick<Sessions, 'receivers'> },
  summary: NotificationSummary,
): Shown {
  const { state, bySession, accountId, webhookStatus } = summary;
  const isHeld = state === 'waiting' && !(bySession && sessions.receivers(accountId).length > 0);
  if (!isHeld || webhookStatus === 'active') return { ...summary, heldBy: null };
  return { ...summary, due: null, heldBy: webhookStatus ?? 'session' };
}

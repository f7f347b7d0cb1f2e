import { sessionNotificationMs } from '../../core/notification/retry.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';

interface ExpireNotificationsNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
}

/** Of one command, so that a long list of them does not keep a group waiting. */
const batchMax = 500;

/** Makes dead letters of what only sessions could be told and none came for. A refusal changes nothing: the next look tries again. */
export async function expireNotifications({ journal, clock }: ExpireNotificationsNeeds): Promise<void> {
  for (let isMore = true; isMore;) {
    const at = clock.now();
    const before = at - sessionNotificationMs;
    const expired = await journal.append<'expire-notifications'>({
      kind: 'expire-notifications',
      at,
      before,
      max: batchMax,
    });
    isMore = expired.ok && expired.value.isMore;
  }
}

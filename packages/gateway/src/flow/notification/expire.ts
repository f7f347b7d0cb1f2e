import { sessionNoticeMs } from '../../core/notification/retry.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';

interface ExpireNoticesNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
}

/** Of one command, so that a long list of them does not keep a group waiting. */
const batchMax = 500;

/** Makes dead letters of what only sessions could be told and none came for. A refusal changes nothing: the next look tries again. */
export async function expireNotices({ journal, clock }: ExpireNoticesNeeds): Promise<void> {
  for (let isMore = true; isMore;) {
    const at = clock.now();
    const before = at - sessionNoticeMs;
    const expired = await journal.append<'expire-notices'>({ kind: 'expire-notices', at, before, max: batchMax });
    isMore = expired.ok && expired.value.isMore;
  }
}

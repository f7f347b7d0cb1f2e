import type { Rejection } from '../../core/base/rejection.ts';
import { refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { AccountNeeds } from '../../operator/account/accounts.ts';
import type { LoginNeeds } from '../../operator/account/logins.ts';
import type { WaitingNeeds } from '../../operator/message/waiting-messages.ts';
import type { ControlNeeds } from '../../operator/routing/control.ts';
import type { PricesNeeds } from '../../operator/money/prices.ts';
import type { ExplainNeeds } from '../../operator/routing/explain-route.ts';
import { flag, invalid, optional, readFields } from '../../operator/fields.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Reader } from '../../store/reader.ts';
import type { ClockGuard } from '../../flow/clock-guard.ts';
import type { Fields } from '../../operator/fields.ts';
import type { AdminEndpointName } from './endpoints.ts';
import * as questions from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';
import type { Listening } from '../../flow/notification/listen.ts';
import type { SendingNeeds } from '../../operator/message/send.ts';
import type { Sessions } from '../smpp/sessions.ts';
import { askStatus } from './status.ts';
import type { StatusNeeds } from './status.ts';
import type { WebhooksNeeds } from '../../operator/notification/webhooks.ts';
import type { LastOutcome } from '../webhook/webhooks.ts';

/* The operations of the old API, which are not declared yet, and what all operations need. */

/** The parts of the gateway that the operator's API uses. */
export interface OperatorNeeds
  extends
    AccountNeeds,
    ControlNeeds,
    ExplainNeeds,
    PricesNeeds,
    QuestionNeeds,
    SendingNeeds,
    LoginNeeds,
    StatusNeeds,
    WaitingNeeds,
    WebhooksNeeds {
  readonly clock: Clock;
  readonly listening: Pick<Listening, 'listen'>;
  readonly counts: { write(): Promise<void> };
  /** Reads whole price lists, in a thread of its own. */
  readonly prices: Pick<Reader, 'ask'>;
  readonly snapshot: () => Snapshot;
  readonly clockGuard: Pick<ClockGuard, 'confirm' | 'isBehind'>;
  readonly control: ControlNeeds['control'] & WaitingNeeds['control'];
  readonly journal: AccountNeeds['journal'] & StatusNeeds['journal'];
  readonly sessions: Pick<Sessions, 'list' | 'close' | 'receivers'> & StatusNeeds['sessions'];
  readonly webhooks: WebhooksNeeds['webhooks'] & { last(webhook: number): LastOutcome | undefined };
}

type Operation = (needs: OperatorNeeds, fields: Fields) => Answer;

/** The handlers of the endpoints. A change answers the new state. */
export const adminOperations: { readonly [E in AdminEndpointName]: Operation } = {
  totals: (needs, fields) => after(readFields({}, fields), () => questions.askTotals(needs)),
  status: (needs, fields) => after(readFields({}, fields), () => askStatus(needs)),
  confirmClock: (needs, fields) =>
    after(readFields({ behind: optional(flag, false) }, fields), ({ behind }) => confirmClock(needs, behind)),
  resume: (needs, fields) => after(readFields({}, fields), () => resume(needs)),
};

async function after<T>(step: Result<T, Rejection>, next: (value: T) => Answer): Answer {
  return step.ok ? next(step.value) : step;
}

/** A clock that is behind is accepted only with `behind`. */
async function confirmClock(needs: OperatorNeeds, behind: boolean): Answer {
  if (needs.clockGuard.isBehind && !behind) return invalid('behind', behindText);
  await needs.clockGuard.confirm();
  return askStatus(needs);
}

const behindText =
  'the clock of this machine is behind the newest record: set the clock, or give behind as true if the clock is right';

async function resume(needs: OperatorNeeds): Answer {
  if (needs.readiness.resume()) return askStatus(needs);
  return refused({ code: 'does_not_exist', detail: 'there is nothing to resume: the gateway is not held' });
}

import type { Account } from '../core/account/account.ts';
import type { Draft } from '../core/message/admission.ts';
import type { MessageId } from '../core/base/message-id.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { OperatorNeeds } from './admin/operator-needs.ts';
import type { Carriers } from '../flow/routing/carriers.ts';
import type { SessionApi } from './clients/smpp/requests.ts';
import type { ClientApi } from './clients/morsel/client-api.ts';
import { RefusalLog } from './refusal-log.ts';
import { authenticate } from '../flow/account/authenticate.ts';
import { cancel } from '../flow/message/cancel.ts';
import type { Counts } from '../flow/account/counts.ts';
import type { Limits } from '../flow/account/limits.ts';
import { quote } from '../flow/message/quote.ts';
import type { Readiness } from '../flow/readiness.ts';
import { reportBalance, reportMessage } from '../flow/message/report.ts';
import { Repeats } from '../flow/message/repeats.ts';
import type { Meters } from '../flow/metrics/meters.ts';
import type { Traces } from '../flow/metrics/traces.ts';
import { submit } from '../flow/message/submit.ts';
import type { Journal } from '../store/journal.ts';
import type { Reader } from '../store/reader.ts';
import type { Tools } from '../flow/ports.ts';

/* Builds the operations of the clients' APIs and of the operator's API from the functions in `flow/`. */

/** Makes the operations for clients over HTTP and SMPP, and for the operator. */
export function makeApis(
  needs: Pick<Tools, 'log' | 'clock'> & {
    readonly snapshot: () => Snapshot;
    /** The clock for prices. It differs from the machine's clock while the gateway does not trust that clock. */
    readonly priceClock: { now(): Instant };
    readonly journal: Journal;
    readonly reader: Reader;
    readonly carriers: Carriers;
    readonly readiness: Pick<Readiness, 'check'>;
    /** True while the gateway does not trust the clock of the machine. In this time, messages do not expire. */
    readonly isHeld: () => boolean;
    readonly counts: Pick<Counts, 'tokenRequest' | 'refused'>;
    readonly nextId: () => MessageId;
    readonly limits: Limits;
    readonly meters: Pick<Meters, 'refused'>;
    readonly traces: Traces | undefined;
  },
): {
  readonly client: ClientApi;
  readonly session: SessionApi;
  readonly submitAsOperator: OperatorNeeds['submit'];
  readonly quoteAsOperator: OperatorNeeds['quote'];
} {
  const submitNeeds = {
    ...needs,
    repeats: new Repeats(needs),
    reserveOnRoute: needs.carriers.routing.reserveOnRoute.bind(needs.carriers.routing),
    notifyCarriers: needs.carriers.routing.notifyCarriers.bind(needs.carriers.routing),
  };
  const proofNeeds = { ...needs, used: (id: string, at: Instant) => needs.counts.tokenRequest(id, at) };
  const { traces } = needs;
  const traced = (using: Parameters<typeof submit>[0]): typeof using =>
    traces
      ? { ...using, journal: tracedJournal(using.journal, traces), nextId: () => traces.named(using.nextId()) }
      : using;
  const submitWhenReady = async (
    account: Account,
    submission: Parameters<typeof submit>[2],
    using: Parameters<typeof submit>[0] = submitNeeds,
  ) => {
    const ready = needs.readiness.check();
    const accept = () => submit(traced(using), account, submission);
    const run = () => (traces ? traces.accept(accept) : accept());
    const submitted = ready.ok ? await run() : ready;
    if (!submitted.ok) needs.meters.refused(account.id, submitted.error.code);
    return submitted;
  };
  const quoteWhenReady = async (account: Account, draft: Draft) => {
    const ready = needs.readiness.check();
    return ready.ok ? quote(needs, account, draft) : ready;
  };
  return {
    client: {
      authenticate: (token, address, scope) => authenticate(proofNeeds, { token, address, scope }),
      submit: (account, draft, by) => submitWhenReady(account, { draft, source: 'http', ...(by && { by }) }),
      quote: quoteWhenReady,
      report: (account, messageId, options) => reportMessage(needs, account, { messageId, ...options }),
      cancel: async (account, messageId) => {
        const canceled = await cancel(needs, account, messageId);
        return canceled.ok ? reportMessage(needs, account, { messageId, details: true }) : canceled;
      },
      balance: (account) => reportBalance(needs, account),
    },
    session: {
      now: () => needs.clock.now(),
      submit: (account, draft, by) => submitWhenReady(account, { draft, source: 'smpp', ...(by && { by }) }),
      query: (account, messageId) => reportMessage(needs, account, { messageId }),
      cancel: (account, messageId) => cancel(needs, account, messageId),
      log: needs.log,
      refusals: new RefusalLog(needs.log, needs.clock, needs.counts),
    },
    submitAsOperator: (account, draft, { name, journal }) =>
      submitWhenReady(account, { draft, source: 'operator', by: { name } }, { ...submitNeeds, journal }),
    quoteAsOperator: quoteWhenReady,
  };
}

function tracedJournal(journal: Pick<Journal, 'append'>, traces: Traces): Pick<Journal, 'append'> {
  return { append: (command) => traces.commit(command.kind, () => journal.append(command)) };
}

/* Queues scheduled messages that became due: once a second it chooses their routes. */

import { isForNobody, eligibleByCost } from '../../core/routing/carrier-cost.ts';
import { eligibleText } from '../../core/routing/eligible.ts';
import { firstIdAt } from '../../core/base/message-id.ts';
import { chooseRoute } from '../../core/routing/route.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import type { Reader } from '../../store/reader.ts';
import type { ScheduledPlace, ScheduledMessage } from '../../store/views/message/scheduled.ts';

interface DueNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  readonly clock: Clock;
  /** The operator's settings, replaced whole after each change: a message without a route may have one then. */
  readonly settings: () => object;
  /** The present route of a message, and the eligible carriers of its parts. */
  readonly way: (message: ScheduledMessage, at: Instant) => DueWay | undefined;
  /** Nothing becomes due: the clock is not trusted. */
  readonly isHeld: () => boolean;
  /** Messages wait now: every carrier looks for its own. */
  readonly lookForWaiting: () => void;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

interface DueWay {
  readonly route: number;
  /** As core/routing/eligible.ts spells it. */
  readonly eligible: string;
}

/**
 * The way of a message that was priced when it was accepted; undefined if every carrier would leave too small a margin.
 */
export function wayWhenDue(snapshot: Snapshot, message: ScheduledMessage, at: Instant): DueWay | undefined {
  const route = chooseRoute(snapshot, message);
  const account = snapshot.accounts.get(message.account);
  if (!route || !account) return undefined;
  const { receiver, unitPrice } = message;
  const eligible = eligibleByCost(route, snapshot, { account, receiver, unitPrice, at });
  return isForNobody(route, eligible) ? undefined : { route: route.id, eligible: eligibleText(eligible) };
}

/** `sendAt` has whole seconds. A look without due messages is one step into an index. */
const everyMs = secondMs;

/** Messages of one commit. Half a million due at once are a thousand commits, with room for others between them. */
const batchMax = 500;

/** How often messages without a route are tried again. */
const fromTheStartEveryMs = minuteMs;

const theStart: ScheduledPlace = { dueAt: 0, id: firstIdAt(0) };

/** Queues scheduled messages that have become due: looks once a second, until it is stopped. */
export function startQueueingDue(needs: DueNeeds): Loop {
  const { clock, log } = needs;
  let start = theStart;
  let startedAtMs = clock.monotonicMs();
  let settings = needs.settings();
  const turn = async (signal: AbortSignal) => {
    const before = settings;
    settings = needs.settings();
    if (settings !== before || clock.monotonicMs() - startedAtMs >= fromTheStartEveryMs) {
      start = theStart;
      startedAtMs = clock.monotonicMs();
    }
    let place: ScheduledPlace | undefined = start;
    while (place && !signal.aborted && !needs.isHeld()) {
      const batch: Batch = await queueDueBatch(needs, place);
      // Messages without a route would be found again by each look, and would hide those behind them.
      if (batch.hasUnrouted) start = batch.last;
      place = batch.isFull ? batch.last : undefined;
    }
  };
  const loop = new Loop({ clock, log, name: 'queue due messages', everyMs, turn });
  loop.wake();
  return loop;
}

const nowhere = { route: null };

interface Batch {
  readonly last: ScheduledPlace;
  readonly isFull: boolean;
  readonly hasUnrouted: boolean;
}

/** Queues the next due messages. A failure to read or write is tried again at the next look. */
async function queueDueBatch(needs: DueNeeds, after: ScheduledPlace): Promise<Batch> {
  const nothing = { last: after, isFull: false, hasUnrouted: false };
  const at = needs.clock.now();
  const due = await needs.reader.ask('dueMessages', { at, after, limit: batchMax });
  const last = due.ok ? due.value.at(-1) : undefined;
  if (!due.ok || !last) return nothing;

  const messages = due.value.map((message) => ({ message: message.id, ...(needs.way(message, at) ?? nowhere) }));
  const unrouted = messages.filter(({ route }) => route === null).length;

  const queued = await needs.journal.append<'queue-due'>({ kind: 'queue-due', at, messages });
  if (!queued.ok) return nothing;
  if (unrouted < messages.length) needs.lookForWaiting();
  if (unrouted > 0) needs.log.warn({ messages: unrouted }, 'no route leads to the receivers of messages that are due');
  return { last, isFull: due.value.length === batchMax, hasUnrouted: unrouted > 0 };
}

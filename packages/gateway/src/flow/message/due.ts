/* Queues scheduled messages when they become due, and chooses their routes then. */

import { isForNobody, eligibleByCost } from '../../core/routing/carrier-cost.ts';
import { eligibleText } from '../../core/routing/eligible.ts';
import { firstIdAt } from '../../core/base/message-id.ts';
import { chooseRoute } from '../../core/routing/route.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { ScheduledPlace, ScheduledMessage } from '../../store/views/message/scheduled.ts';
import type { Tools } from '../ports.ts';

interface DueNeeds extends Pick<Tools, 'log' | 'clock' | 'journal' | 'reader'> {
  /** The operator's settings. Each change makes a new object: messages without a route are then tried again. */
  readonly settings: () => object;
  readonly way: (message: ScheduledMessage, at: Instant) => DueWay | undefined;
  /** True while the clock is not trusted: no message becomes due then. */
  readonly isHeld: () => boolean;
  /** Notifies all carriers that messages may wait. */
  readonly lookForWaiting: () => void;
}

interface DueWay {
  readonly route: number;
  /** Eligible carriers as text, in the format of core/routing/eligible.ts. */
  readonly eligible: string;
}

/** The route of a message that becomes due. Undefined without a route, or if all margins are too small. */
export function wayWhenDue(snapshot: Snapshot, message: ScheduledMessage, at: Instant): DueWay | undefined {
  const route = chooseRoute(snapshot, message);
  const account = snapshot.accounts.get(message.account);
  if (!route || !account) return undefined;
  const { receiver, unitPrice } = message;
  const eligible = eligibleByCost(route, snapshot, { account, receiver, unitPrice, at });
  return isForNobody(route, eligible) ? undefined : { route: route.id, eligible: eligibleText(eligible) };
}

/** How often due messages are looked for. `sendAt` is in whole seconds. */
const everyMs = secondMs;

/** Messages that one commit queues at most. Other commits can run between two batches. */
const batchMax = 500;

/** How often scheduled messages without a route are tried again. */
const fromTheStartEveryMs = minuteMs;

const theStart: ScheduledPlace = { dueAt: 0, id: firstIdAt(0) };

export function startQueueingDue(needs: DueNeeds): Loop {
  const { clock } = needs;
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
      // Later searches start after the messages without a route. Otherwise each search would find these again instead
      // of newer messages.
      if (batch.hasUnrouted) start = batch.last;
      place = batch.isFull ? batch.last : undefined;
    }
  };
  return new Loop({ ...needs, name: 'queue due messages', everyMs, turn, isEager: true });
}

const nowhere = { route: null };

interface Batch {
  readonly last: ScheduledPlace;
  readonly isFull: boolean;
  readonly hasUnrouted: boolean;
}

/** Queues a batch of due messages. If the store fails, the next search tries again. */
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
  if (unrouted > 0)
    needs.log.warn(
      { messages: unrouted },
      'scheduled messages are due, but no route matches their receivers or every carrier leaves too small a margin: check "morsel route list" and the margins of the accounts',
    );
  return { last, isFull: due.value.length === batchMax, hasUnrouted: unrouted > 0 };
}

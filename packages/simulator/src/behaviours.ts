import { performance } from 'node:perf_hooks';
import { statuses } from '@morsel/smpp';
import type { Submit } from './answering.ts';
import { endingOf, endings } from './endings.ts';
import type { Settings } from './options.ts';
import { type Behaviour, ordinary } from './plans.ts';

/* Chooses the behaviour of the simulator for each submitted message. */

interface Load {
  readonly deliveries: number;
  /** Unanswered requests of the session, including this one. */
  readonly unanswered: number;
}

/** The most unacknowledged receipts and inbound messages in memory. With more, submit_sm are refused. */
const deliveriesMax = 100_000;

/**
 * The most receivers whose messages are counted, for behaviours of only the first `times` messages. The oldest counts
 * are deleted.
 */
const turnsMax = 10_000;

/** The length of a burst that is accepted at once. Clients send in bursts, and carriers accept short bursts. */
const burstS = 0.1;

const noReceiver = refusal(statuses.ESME_RINVDSTADR);
const full = refusal(statuses.ESME_RMSGQFUL);
const throttled = refusal(statuses.ESME_RTHROTTLED);

/**
 * Returns a function that chooses the behaviour for a message. It checks the limits of the simulator first, then the
 * ending of the receiver.
 */
export function openBehaviours(options: Settings): (pdu: Submit, load: Load) => Behaviour {
  const turns = new Map<string, number>();
  const { throughput, throttleChance } = options;
  const isInPace = throughput === undefined ? () => true : openPace(throughput);
  const otherwise = ordinaryOf(options.ordinary);
  return (pdu, load) => {
    const { destination_addr: destination } = pdu;
    if (destination === '') return noReceiver;
    if (load.deliveries >= deliveriesMax || load.unanswered > options.window) return full;
    if (throttleChance > 0 && Math.random() < throttleChance) return throttled;
    if (!isInPace(performance.now())) return throttled;
    const special = options.magic ? (options.behaviourOf?.(pdu) ?? endingOf(destination)) : undefined;
    const chosen = special ?? otherwise;
    return chosen.times === undefined || count(turns, destination) <= chosen.times ? chosen : ordinary;
  };
}

/** Throws RangeError if the ending is not in the table. */
function ordinaryOf(ending: string | undefined): Behaviour {
  if (ending === undefined) return ordinary;
  const behaviour = Object.hasOwn(endings, ending) ? endings[ending] : undefined;
  if (behaviour === undefined) throw new RangeError(`ordinary must be a known ending, not ${ending}`);
  return behaviour;
}

function count(turns: Map<string, number>, destination: string): number {
  const turn = (turns.get(destination) ?? 0) + 1;
  turns.delete(destination);
  turns.set(destination, turn);
  for (const oldest of turns.keys()) {
    if (turns.size <= turnsMax) break;
    turns.delete(oldest);
  }
  return turn;
}

function refusal(command_status: number): Behaviour {
  return { answer: { command_status }, receipts: [] };
}

function openPace(perSecond: number): (nowMs: number) => boolean {
  const burst = Math.max(1, perSecond * burstS);
  let tokens = burst;
  let lastMs = -Infinity;
  return (nowMs) => {
    tokens = Math.min(burst, tokens + ((nowMs - lastMs) / 1000) * perSecond);
    lastMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

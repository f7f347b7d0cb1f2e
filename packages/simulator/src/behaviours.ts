import { performance } from 'node:perf_hooks';
import { statuses } from '@morsel/smpp';
import type { Submit } from './answering.ts';
import { type Demand, refusalOf } from './requirements.ts';
import { magic, magicOf, ordinary } from './endings.ts';
import type { Behaviour } from './plans.ts';

/*
 * Chooses the behaviour of the simulator for each submitted message.
 */

export interface BehaviourOptions {
  readonly throughput?: number;
  readonly throttlePenaltyMs: number;
  readonly throttleChance: number;
  readonly window: number;
  readonly demands: readonly Demand[];
  readonly magic: boolean;
  readonly ordinary?: string;
  readonly deliveriesMax: number;
}

/** The load of the simulator at the time of a submit_sm. */
export interface Load {
  /** The number of receipts and inbound messages that no client has acknowledged yet. */
  readonly deliveries: number;
  /** The number of requests of this session that wait for an answer, including this request. */
  readonly unanswered: number;
}

/**
 * How many receivers to count messages for, because some behaviours apply only to the first `times` messages. Beyond
 * this number, the oldest counts are deleted.
 */
const turnsMax = 10_000;

/** How many seconds' worth of messages may come at once. Clients send in bursts, and carriers accept short bursts. */
const burstS = 0.1;

const noReceiver = refusal(statuses.ESME_RINVDSTADR);
const full = refusal(statuses.ESME_RMSGQFUL);
const overWindow = refusal(statuses.ESME_RMSGQFUL);
const unlucky = refusal(statuses.ESME_RTHROTTLED);
const tooFast = refusal(statuses.ESME_RTHROTTLED);

/**
 * Returns a function that chooses the behaviour for each submit_sm. The function checks the limits of the simulator
 * first, then the table of magic receivers.
 */
export function openBehaviours(options: BehaviourOptions): (pdu: Submit, load: Load) => Behaviour {
  const turns = new Map<string, number>();
  const { throughput, throttlePenaltyMs, throttleChance } = options;
  const isInPace = throughput === undefined ? () => true : openPace(throughput, throttlePenaltyMs);
  const byDefault = ordinaryOf(options.ordinary);
  return (pdu, load) => {
    const { destination_addr: destination } = pdu;
    if (destination === '') return noReceiver;
    if (load.deliveries >= options.deliveriesMax) return full;
    if (load.unanswered > options.window) return overWindow;
    if (throttleChance > 0 && Math.random() < throttleChance) return unlucky;
    if (!isInPace(performance.now())) return tooFast;
    const unmet = refusalOf(pdu, options.demands);
    if (unmet !== undefined) return refusal(unmet);
    const chosen = (options.magic ? magicOf(destination) : undefined) ?? byDefault;
    return chosen.times === undefined || count(turns, destination) <= chosen.times ? chosen : ordinary;
  };
}

/**
 * Returns the behaviour for receivers that are not magic. Throws RangeError if the ending is not in the table of magic
 * receivers.
 */
function ordinaryOf(ending: string | undefined): Behaviour {
  if (ending === undefined) return ordinary;
  const behaviour = Object.hasOwn(magic, ending) ? magic[ending] : undefined;
  if (behaviour === undefined) throw new RangeError(`ordinary must be a known magic ending, not ${ending}`);
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
  return { answer: { kind: 'refuse', command_status }, receipts: [] };
}

/**
 * Returns a function that checks whether a submit_sm at `nowMs` is within the rate `perSecond`. If the rate is
 * exceeded, all messages are refused for `penaltyMs`. Each message in that time starts the penalty again, because some
 * carriers also count refused messages.
 */
function openPace(perSecond: number, penaltyMs = 0): (nowMs: number) => boolean {
  const burst = Math.max(1, perSecond * burstS);
  let tokens = burst;
  let lastMs = -Infinity;
  let refusedUntilMs = -Infinity;
  return (nowMs) => {
    tokens = Math.min(burst, tokens + ((nowMs - lastMs) / 1000) * perSecond);
    lastMs = nowMs;
    if (tokens < 1 || nowMs < refusedUntilMs) {
      refusedUntilMs = nowMs + penaltyMs;
      return false;
    }
    tokens -= 1;
    return true;
  };
}

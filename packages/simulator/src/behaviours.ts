import { performance } from 'node:perf_hooks';
import { status } from '@morsel/smpp';
import type { Submit } from './answering.ts';
import type { Demand } from './demands.ts';
import { refusalOf } from './demands.ts';
import { MAGIC, magicOf, ORDINARY } from './magic.ts';
import { openPace } from './pace.ts';
import type { Behaviour } from './plans.ts';

export type BehaviourOptions = {
  readonly throughput?: number;
  readonly throttlePenaltyMs: number;
  readonly throttleChance: number;
  readonly window: number;
  readonly demands: readonly Demand[];
  readonly magic: boolean;
  readonly ordinary?: string;
  readonly deliveriesMax: number;
};

/** What the simulator has on its hands when a submit_sm comes. */
export type Load = {
  /** Receipts and inbound messages without acknowledgement. */
  readonly deliveries: number;
  /** Requests of this client without an answer, this one among them. */
  readonly unanswered: number;
};

/** Receivers whose `times` are counted; the one that was counted longest ago is forgotten first. */
const TURNS_MAX = 10_000;

const NO_RECEIVER = refusal('no receiver', status('ESME_RINVDSTADR'));
const FULL = refusal('too many deliveries wait', status('ESME_RMSGQFUL'));
const OVER_WINDOW = refusal('over the window', status('ESME_RMSGQFUL'));
const UNLUCKY = refusal('throttled by chance', status('ESME_RTHROTTLED'));
const TOO_FAST = refusal('over the throughput', status('ESME_RTHROTTLED'));

/** Gives a function that says what becomes of the next submit_sm: the simulator's limits come first, then the table. */
export function openBehaviours(options: BehaviourOptions): (pdu: Submit, load: Load) => Behaviour {
  const turns = new Map<string, number>();
  const { throughput, throttlePenaltyMs, throttleChance } = options;
  const isInPace = throughput === undefined ? () => true : openPace(throughput, throttlePenaltyMs);
  const ordinary = ordinaryOf(options.ordinary);
  return (pdu, load) => {
    const { destination_addr: destination } = pdu;
    if (destination === '') return NO_RECEIVER;
    if (load.deliveries >= options.deliveriesMax) return FULL;
    if (load.unanswered > options.window) return OVER_WINDOW;
    if (throttleChance > 0 && Math.random() < throttleChance) return UNLUCKY;
    if (!isInPace(performance.now())) return TOO_FAST;
    const unmet = refusalOf(pdu, options.demands);
    if (unmet !== undefined) return refusal('not as this carrier wants it', unmet);
    const magic = (options.magic ? magicOf(destination) : undefined) ?? ordinary;
    return magic.times === undefined || count(turns, destination) <= magic.times ? magic : ORDINARY;
  };
}

/** Throws RangeError for an ending that is not in the table. */
function ordinaryOf(ending: string | undefined): Behaviour {
  if (ending === undefined) return ORDINARY;
  const behaviour = Object.hasOwn(MAGIC, ending) ? MAGIC[ending] : undefined;
  if (behaviour === undefined) throw new RangeError(`ordinary: ${ending} is none of the magic endings`);
  return behaviour;
}

function count(turns: Map<string, number>, destination: string): number {
  const turn = (turns.get(destination) ?? 0) + 1;
  turns.delete(destination);
  turns.set(destination, turn);
  for (const oldest of turns.keys()) {
    if (turns.size <= TURNS_MAX) break;
    turns.delete(oldest);
  }
  return turn;
}

function refusal(about: string, command_status: number): Behaviour {
  return { about, answer: { kind: 'refuse', command_status }, receipts: [] };
}

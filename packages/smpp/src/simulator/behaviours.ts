import { performance } from 'node:perf_hooks';
import { status } from '../statuses.ts';
import type { Behaviour } from './magic.ts';
import { magicOf, ORDINARY } from './magic.ts';
import { openPace } from './pace.ts';

export type BehaviourOptions = {
  readonly throughput?: number;
  readonly magic: boolean;
  readonly deliveriesMax: number;
};

/** Receivers whose `times` are counted; the one that was counted longest ago is forgotten first. */
const TURNS_MAX = 10_000;

const NO_RECEIVER = refusal('no receiver', status('ESME_RINVDSTADR'));
const FULL = refusal('too many deliveries wait', status('ESME_RMSGQFUL'));
const TOO_FAST = refusal('over the throughput', status('ESME_RTHROTTLED'));

/** Gives a function that says what becomes of the next submit_sm: the simulator's limits come first, then the table. */
export function openBehaviours(options: BehaviourOptions): (destination: string, deliveries: number) => Behaviour {
  const turns = new Map<string, number>();
  const isInPace = options.throughput === undefined ? () => true : openPace(options.throughput);
  return (destination, deliveries) => {
    if (destination === '') return NO_RECEIVER;
    if (deliveries >= options.deliveriesMax) return FULL;
    if (!isInPace(performance.now())) return TOO_FAST;
    const magic = options.magic ? magicOf(destination) : undefined;
    if (magic === undefined) return ORDINARY;
    return magic.times === undefined || count(turns, destination) <= magic.times ? magic : ORDINARY;
  };
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

/* Decides which node has which duty. Duties are spread over the nodes, and move only when nodes come or go. */

import { clockOffMaxMs, type Member } from './members.ts';

export interface Candidate {
  readonly node: number;
  readonly agoMs: number;
  readonly isStopped: boolean;
  readonly isDraining: boolean;
  readonly hasLease: boolean;
}

/** Drains nodes whose clock is wrong. If all clocks are, the database's clock is the wrong one, and no node drains. */
export function drainWrongClocks<Node extends Candidate & Pick<Member, 'clockOffMs'>>(
  members: readonly Node[],
  quietMs: number,
): readonly Node[] {
  const isWrong = ({ clockOffMs }: Node) => Math.abs(clockOffMs) > clockOffMaxMs;
  const hasRight = members.some((each) => !each.isStopped && each.agoMs < quietMs && !isWrong(each));
  return hasRight ? members.map((each) => (isWrong(each) ? { ...each, isDraining: true } : each)) : members;
}

/** The nodes that can have duties, in order. A node that is silent for `quietMs`, or lost its lease, gets none. */
export function ableNodes(members: readonly Candidate[], quietMs: number): readonly number[] {
  return members
    .filter(({ agoMs, isStopped, isDraining, hasLease }) => agoMs < quietMs && hasLease && !isStopped && !isDraining)
    .map(({ node }) => node)
    .toSorted((a, b) => a - b);
}

/** The node for a duty; undefined while no node can have one. Consecutive keys, such as links, get different nodes. */
export function nodeFor(key: number, able: readonly number[]): number | undefined {
  return able[key % able.length];
}

/** How many beats (renewals of the lease) a free duty waits for the node that should have it. */
const waitsBeats = 3;
/** For how many beats another node should have a duty before the node that has it gives it up. */
const yieldsBeats = 10;

export interface DutyState {
  readonly key: number;
  readonly isHeld: boolean;
  readonly isTaken: boolean;
  /** For how many beats the duty was free, or another node should have had it. */
  readonly beats: number;
  /** Whether duties of its kind are spread over the nodes. Other duties stay with the first node that wants them. */
  readonly isShared: boolean;
}

/** The next step of a node that wants a duty: take the duty, give it up, wait a beat, or do nothing. */
export function moveOf(duty: DutyState, self: number, able: readonly number[]): 'take' | 'give-up' | 'wait' | 'none' {
  const isAble = able.includes(self);
  const isOthers = duty.isShared && nodeFor(duty.key, able) !== self;
  if (duty.isHeld) {
    if (able.length === 0 || (isAble && !isOthers)) return 'none';
    return !isAble || duty.beats >= yieldsBeats ? 'give-up' : 'wait';
  }
  if (duty.isTaken || !isAble) return 'none';
  return !isOthers || duty.beats >= waitsBeats ? 'take' : 'wait';
}

/* Decides which node should do what: duties are spread over the nodes, and stay where they are while nodes stay. */

import { clockOffMaxMs, type Member } from './members.ts';

export interface Candidate {
  readonly node: number;
  readonly agoMs: number;
  readonly isStopped: boolean;
  readonly isDraining: boolean;
}

/** If all clocks are wrong, that of the database is, and no node drains for it. */
export function drainWrongClocks<Node extends Candidate & Pick<Member, 'clockOffMs'>>(
  members: readonly Node[],
  quietMs: number,
): readonly Node[] {
  const isWrong = ({ clockOffMs }: Node) => Math.abs(clockOffMs) > clockOffMaxMs;
  const hasRight = members.some((each) => !each.isStopped && each.agoMs < quietMs && !isWrong(each));
  return hasRight ? members.map((each) => (isWrong(each) ? { ...each, isDraining: true } : each)) : members;
}

/** The nodes that can have duties, in order. A node that is silent for `quietMs` gets none. */
export function ableNodes(members: readonly Candidate[], quietMs: number): readonly number[] {
  return members
    .filter(({ agoMs, isStopped, isDraining }) => agoMs < quietMs && !isStopped && !isDraining)
    .map(({ node }) => node)
    .toSorted((a, b) => a - b);
}

/**
 * Keys that follow each other, such as a carrier's links, are on different nodes. Undefined while no node can have it.
 */
export function nodeFor(key: number, able: readonly number[]): number | undefined {
  return able[key % able.length];
}

/** Beats that a free duty waits for the node that should have it. */
const waitsBeats = 3;
/** Beats for which another node should have a duty before its node gives it up. */
const yieldsBeats = 10;

export interface DutyState {
  readonly key: number;
  readonly isHeld: boolean;
  readonly isTaken: boolean;
  /** Beats for which it was free, or for which another node should have had it. */
  readonly beats: number;
  /** Whether duties of its kind are spread over the nodes. Others stay with the first node that wants them. */
  readonly isShared: boolean;
}

/** The next step of a node that wants a duty: take it, give it up, wait a beat, or leave it as it is. */
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

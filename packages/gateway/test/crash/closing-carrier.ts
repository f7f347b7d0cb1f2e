/* A carrier that ends a connection while messages wait for their answers: half of them are then in doubt. */

import type { ConnectionEnd, HeldAnswer } from '@morsel/simulator';

export interface Closings {
  readonly by: ConnectionEnd;
  /** After how many messages a connection ends, from the start or from the last one that was ended. */
  readonly afterSubmits: number;
  readonly times: number;
}

/** How long more messages of the client's window are gathered before half of them are answered. */
const gatherMs = 50;
/** How long the answers have to reach the client: a reset would discard those that have not arrived. */
const arriveMs = 20;

/**
 * For the simulator's option `holdAnswer`: holds back the answers of a connection, after a short time sends every second
 * one, and ends the connection.
 */
export function endsMidWindow({ by, afterSubmits, times }: Closings): (held: HeldAnswer) => boolean {
  const gathered = new Map<number, HeldAnswer[]>();
  let submits = 0;
  let ended = 0;

  function answerHalf(last: HeldAnswer): void {
    const { session } = last;
    const waiting = gathered.get(session) ?? [];
    waiting.forEach((held, index) => (index % 2 === 0 && !held.isGone ? held.send() : held.lose()));
    waiting.length = 0;
    setTimeout(() => {
      // Messages that arrived after half of the answers were sent get no answer.
      for (const held of waiting) held.lose();
      gathered.delete(session);
      last.end(by);
    }, arriveMs);
  }

  return (held) => {
    const waiting = gathered.get(held.session);
    if (waiting) return waiting.push(held) > 0;
    if (ended >= times || ++submits < afterSubmits) return false;
    submits = 0;
    ended += 1;
    gathered.set(held.session, [held]);
    setTimeout(() => answerHalf(held), gatherMs);
    return true;
  };
}

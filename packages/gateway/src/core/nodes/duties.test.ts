import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ableNodes, moveOf, nodeFor } from './duties.ts';

const node = (number: number, more: object = {}) => ({
  node: number,
  agoMs: 900,
  isStopped: false,
  isDraining: false,
  hasLease: true,
  ...more,
});

it('only nodes that renew their lease, and neither stop nor drain, get duties', () => {
  const members = [
    node(6),
    node(4),
    node(5, { agoMs: 6_000 }),
    node(7, { isStopped: true }),
    node(8, { isDraining: true }),
    node(9, { hasLease: false }),
  ];
  assert.deepEqual(ableNodes(members, 5_000), [4, 6]);
});

it('the links of a carrier are spread over the nodes', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((key) => nodeFor(key, [4, 6])),
    [4, 6, 4, 6],
  );
  assert.equal(nodeFor(1, []), undefined);
});

describe('what a node does about a duty', () => {
  const free = { key: 0, isHeld: false, isTaken: false, beats: 0, isShared: true };
  const held = { ...free, isHeld: true };
  const cases = [
    ['takes a free duty that it should have', free, 4, [4, 5], 'take'],
    ['leaves a free duty to the node that should have it, for a while', free, 5, [4, 5], 'wait'],
    ['takes a free duty that the other node did not take', { ...free, beats: 3 }, 5, [4, 5], 'take'],
    ['leaves a duty that another node has', { ...free, isTaken: true }, 4, [4, 5], 'none'],
    ['takes no duty while it drains', free, 4, [5], 'none'],
    ['keeps a duty that it should have', held, 4, [4, 5], 'none'],
    ['keeps a duty that another node should have, for a while', held, 5, [4, 5], 'wait'],
    ['then gives up the duty that another node should have', { ...held, beats: 10 }, 5, [4, 5], 'give-up'],
    ['gives up its duty at once while it drains', held, 4, [5], 'give-up'],
    ['keeps its duty while no node can have duties', held, 4, [], 'none'],
    ['takes a free duty of a kind that is not shared', { ...free, isShared: false }, 5, [4, 5], 'take'],
    ['keeps a duty of a kind that is not shared', { ...held, beats: 99, isShared: false }, 5, [4, 5], 'none'],
  ] as const;
  for (const [what, duty, self, able, move] of cases) {
    it(what, () => assert.equal(moveOf(duty, self, able), move));
  }
});

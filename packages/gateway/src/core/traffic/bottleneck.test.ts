import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bottleneckOf } from './bottleneck.ts';

const well = {
  isHeld: false,
  commands: 3,
  queued: 0,
  activeCarriers: 1,
  linksBound: 2,
  linksThrottled: 0,
  windowUsed: 4,
  windowMax: 20,
};

for (const [what, sides, side] of [
  ['all is well', {}, 'none'],
  ['parts on their way do not wait', { queued: 15 }, 'none'],
  ['the gateway is held', { isHeld: true, queued: 900 }, 'held'],
  ['commits are slow', { commands: 20_000, queued: 900 }, 'store'],
  ['all carriers are paused', { activeCarriers: 0, linksBound: 0, queued: 5 }, 'carriers'],
  ['no link is bound', { linksBound: 0, queued: 5 }, 'links'],
  ['the windows are full', { queued: 900, windowUsed: 19 }, 'window'],
  ['a carrier throttles', { queued: 900, windowUsed: 19, linksThrottled: 1 }, 'pace'],
  ['the pace is reached', { queued: 900 }, 'pace'],
] as const) {
  it(`${what}: ${side}`, () => assert.equal(bottleneckOf({ ...well, ...sides }), side));
}

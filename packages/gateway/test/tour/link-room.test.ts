import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compose } from '@morsel/gsm';
import { statuses } from '@morsel/smpp';
import { nextMessageId } from '../../src/core/base/message-id.ts';
import type { Answer } from '../../src/core/message/outcome.ts';
import { unanswered, unsent } from '../../src/edge/carriers/smpp/answer.ts';
import { Link } from '../../src/edge/carriers/smpp/link.ts';
import type { OutgoingPart } from '../../src/flow/routing/carrier-link.ts';
import { carrierSettings, smppSettings } from '../support/store/routing-commands.ts';
import { helloContent } from '../support/store/store.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { waitUntil } from '../support/wait-until.ts';
import { bindLink } from '../../src/edge/carriers/smpp/bind.ts';
import type { LinkNeeds } from '../../src/edge/carriers/smpp/link-needs.ts';
import { machineClock } from '../../src/runtime/clock.ts';
import { machineRandom } from '../../src/runtime/random.ts';
import { quietLog } from '../support/quiet-log.ts';

/* Reserved room of a link is valid until the next bind or throttling answer. */

function part(): OutgoingPart {
  const composed = compose('Hello', 'SMS');
  const message = nextMessageId(0, Date.now(), 0);
  assert.ok(composed.ok);
  const [sender, receiver, expiresAt] = ['+41790000001', '+41791112233', Date.now() + 60_000];
  const rest = { ...helloContent, number: 1, attempt: 1, isWhole: false };
  return { ...rest, message, sender, receiver, composed, expiresAt };
}

function linkTo(
  carrier: ScriptedCarrier,
  {
    isAlive = () => true,
    whenCertain = () => undefined,
    onRoom = () => undefined,
  }: Partial<Pick<LinkNeeds, 'isAlive' | 'whenCertain' | 'onRoom'>> = {},
): Link {
  const settings = smppSettings({ backOffMinMs: 1, backOffMaxMs: 1 }, { port: carrier.port });
  const whole = { ...carrierSettings({ settings }), name: 'alpha', id: 1, status: 'active', costList: null } as const;
  return new Link(whole, 1, {
    clock: machineClock,
    random: machineRandom,
    log: quietLog,
    isAlive,
    whenCertain,
    onRequest: (_pdu, respond) => void respond(0),
    onUnreadable: (respond) => void respond(0),
    onRoom,
    onLateAnswer: () => undefined,
    bind: bindLink,
  });
}

/** Opens a carrier with a link that is bound. */
async function bound(needs: Parameters<typeof linkTo>[1] = {}) {
  const carrier = await ScriptedCarrier.open();
  const link = linkTo(carrier, needs);
  link.start();
  await waitUntil('the link is bound', () => link.isBound || undefined);
  const told: Answer[] = [];
  const send = (room = link.reserveRoom(1)) => link.send(part(), room, (answer) => void told.push(answer));
  const close = async () => {
    link.destroy();
    await carrier.close();
  };
  return { carrier, link, told, send, [Symbol.asyncDispose]: close };
}

it('a message does not use room from before a throttling answer: throttled messages go first (S6)', async () => {
  await using there = await bound();
  const { carrier, link, told, send } = there;
  const [turn, late] = [link.reserveRoom(1), link.reserveRoom(1)];
  send(turn);
  (await carrier.submit(0)).respond(statuses.ESME_RTHROTTLED);
  await waitUntil('it is answered', () => told[0]);
  send(late);
  assert.deepEqual(told[1], unsent);
});

it('a message does not use room of a bind that has ended: messages that come back go first (S6)', async () => {
  await using there = await bound();
  const { carrier, link, told, send } = there;
  const { room } = link;
  const bind = link.reserveRoom(1);
  carrier.session().destroy();
  await waitUntil('the link is bound again', () => (link.status.reconnects === 1 && link.isBound) || undefined);
  send(bind);
  assert.deepEqual(told, [unsent]);
  assert.equal(link.room, room, 'its room is free again');
  send();
  (await carrier.submit(0)).respond(0, { message_id: 'x' });
  await waitUntil('it is answered', () => told[1]);
  assert.equal(told[1]?.outcome, 'accepted');
  assert.equal(carrier.held.length, 1);
});

it('a node that other nodes may have replaced sends nothing more, whatever room it had reserved (P7)', async () => {
  let isAlive = true;
  await using there = await bound({ isAlive: () => isAlive });
  const { carrier, told, send } = there;
  send();
  await carrier.submit(0);
  send();
  // The part is encoded, and would be written at the end of this turn of the event loop.
  isAlive = false;
  await waitUntil('the link is closed', () => told[1]);
  assert.deepEqual(told, [unanswered, unanswered]);
  assert.equal(carrier.held.length, 1);
});

it('while it is not certain that its node may send, a link has no room, and parts go back (P7)', async () => {
  let certain: PromiseWithResolvers<void> | undefined;
  let calls = 0;
  await using there = await bound({ whenCertain: () => certain?.promise, onRoom: () => void (calls += 1) });
  const { carrier, link, told, send } = there;
  const turn = link.reserveRoom(1);
  certain = Promise.withResolvers<void>();
  const { resolve } = certain;
  assert.equal(link.room, 0);
  send(turn);
  assert.deepEqual(told, [unsent]);
  assert.equal(carrier.held.length, 0);
  const before = calls;
  certain = undefined;
  resolve();
  await waitUntil('there is room', () => calls > before);
  send();
  (await carrier.submit(0)).respond(0, { message_id: 'x' });
});

it('a link holds parts back until it is certain that its node may send, and stays bound meanwhile (P7)', async () => {
  for (const isReplaced of [false, true]) {
    let certain: PromiseWithResolvers<void> | undefined;
    let isAlive = true;
    await using there = await bound({ isAlive: () => isAlive, whenCertain: () => certain?.promise });
    const { carrier, told, send } = there;
    send();
    // The part is encoded, and would be written at the end of this turn of the event loop.
    certain = Promise.withResolvers<void>();
    const { resolve } = certain;
    assert.equal((await carrier.session().request({ command: 'enquire_link' })).kind, 'answered');
    // If the first link sent its part, the carrier would get that part before the other link's.
    const other = linkTo(carrier);
    other.start();
    await waitUntil('the other link is bound', () => other.isBound || undefined);
    other.send(part(), other.reserveRoom(1), () => undefined);
    await carrier.submit(0);
    other.destroy();
    assert.equal(carrier.held.length, 1);
    isAlive = !isReplaced;
    certain = undefined;
    resolve();
    if (isReplaced) await waitUntil('the link is closed', () => told[0]);
    else await carrier.submit(1);
    assert.equal(carrier.held.length, isReplaced ? 1 : 2);
  }
});

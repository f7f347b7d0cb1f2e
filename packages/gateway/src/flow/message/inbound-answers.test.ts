import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Carrier } from '../../core/routing/carrier.ts';
import type { Journal } from '../../store/journal.ts';
import { carrierSettings } from '../../../test/support/store/routing-commands.ts';
import { TestStore } from '../../../test/support/store/store.ts';
import { InboundAnswers } from './inbound-answers.ts';
import type { Delivery } from '../routing/carrier-link.ts';
import { receive } from './receive.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';

const carrier: Carrier = { ...carrierSettings(), name: 'alpha', id: 1, status: 'active', costList: null };

const delivery: Delivery = {
  kind: 'inbound',
  sender: '+41790000009',
  receiver: '+41791112233',
  code: 0,
  octets: Buffer.from('ok'),
  coding: 'gsm7',
  header: null,
  concatenation: null,
};

/**
 * Runs a gateway on a store. A carrier sends the same text once for each answer: `read` surely by the carrier, `in the
 * socket` when the run ends, `lost` with the link, or `unwritten`.
 */
async function bring(
  store: TestStore,
  ...answered: readonly ('read' | 'in the socket' | 'lost' | 'unwritten')[]
): Promise<InboundAnswers> {
  await store.one({ kind: 'begin', at: store.now });
  // The journal's types, for the only function of the store.
  const append: Journal['append'] = (command) => store.one(command);
  let stored: Promise<void> | undefined;
  const appendThen: Journal['appendThen'] = (command, done) => {
    stored = (async () => done(await append(command)))();
  };
  const needs = {
    journal: { append, appendThen },
    clock: TestClock.still(store.now),
    nextId: () => store.ownId(),
    log: { ...quietLog, error: () => assert.fail() },
  };
  const answers = new InboundAnswers(needs);
  for (const end of answered) {
    receive({ ...needs, answers }, { carrier, delivery }, (isKept, settle) => {
      if (end === 'lost' || end === 'read') queueMicrotask(() => settle?.(end === 'read'));
      return isKept && end !== 'unwritten';
    });
    await stored;
  }
  return answers;
}

const count = (store: TestStore) => store.value('select count(*) from inbound');

describe('an inbound message that its carrier sends again', () => {
  it('makes two messages in normal operation', async () => {
    await using store = await TestStore.open();
    await (await bring(store, 'read', 'read')).stop();
    assert.equal(await count(store), 2);
  });

  it('is recognised if the link ended before the answer, and again if the link ended again', async () => {
    await using store = await TestStore.open();
    await (await bring(store, 'unwritten', 'unwritten', 'read')).stop();
    assert.equal(await count(store), 1);
  });

  it('is recognised if the link broke after the answer was written, before the carrier had surely read it', async () => {
    await using store = await TestStore.open();
    await (await bring(store, 'lost', 'read', 'read')).stop();
    assert.equal(await count(store), 2);
  });

  for (const [answer, end, messages] of [
    ['read', 'stopped', 2],
    ['read', 'killed', 1],
    ['in the socket', 'killed', 1],
    ['in the socket', 'killed after a while', 1],
  ] as const) {
    it(`after its answer was ${answer} and the gateway was ${end}: ${messages} in all`, async () => {
      await using store = await TestStore.open();
      const answers = await bring(store, answer);
      // The answers are recorded at the stop, and each second.
      if (end !== 'killed') await answers.stop();
      await store.restart();
      await (await bring(store, 'read')).stop();
      assert.equal(await count(store), messages);
      await answers.stop();
    });
  }
});

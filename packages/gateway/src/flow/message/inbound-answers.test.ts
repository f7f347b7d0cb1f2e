import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { standardProfile } from '../../core/routing/carrier-profile.ts';
import type { Carrier } from '../../core/routing/carrier.ts';
import type { Journal } from '../../store/journal.ts';
import { carrierCommand, TestStore } from '../../../test/support/store.ts';
import { InboundAnswers } from './inbound-answers.ts';
import { receive } from './receive.ts';
import type { InboundDelivery } from './receive.ts';
import { TestClock } from '../../../test/support/test-clock.ts';

const { kind: _kind, at: _at, ...settings } = carrierCommand({ profile: standardProfile });
const carrier: Carrier = { ...settings, id: 1, status: 'active', costList: null };

const delivery: InboundDelivery = {
  kind: 'inbound',
  sender: '+41790000009',
  receiver: '+41791112233',
  dataCoding: 0,
  esmClass: 0,
  octets: Buffer.from('ok'),
  sar: { reference: undefined, total: undefined, number: undefined },
  ports: null,
};

/**
 * A run of a gateway over a store: a carrier sends the same text once for each answer, which is written, lost, or not
 * written.
 */
async function bring(
  store: TestStore,
  ...answered: readonly ('written' | 'lost' | 'unwritten')[]
): Promise<InboundAnswers> {
  await store.one({ kind: 'begin', at: store.now });
  // The types of the journal, over the one function that the store has.
  const append: Journal['append'] = (command) => store.one(command);
  const needs = {
    journal: { append },
    clock: TestClock.still(store.now),
    nextId: () => store.ownId(),
  };
  const answers = new InboundAnswers({ ...needs, log: { error: () => assert.fail() } });
  for (const end of answered) {
    await receive({ ...needs, answers }, { carrier, delivery }, (isKept, onLost) => {
      if (end === 'lost') queueMicrotask(() => onLost?.());
      return isKept && end !== 'unwritten';
    });
  }
  return answers;
}

const count = (store: TestStore) => store.value('select count(*) from inbound');

describe('an inbound message that its carrier sends again', () => {
  it('makes two messages in normal operation', async () => {
    await using store = await TestStore.open();
    await (await bring(store, 'written', 'written')).stop();
    assert.equal(await count(store), 2);
  });

  it('is recognised if the link ended before the answer, and once more if it ended again', async () => {
    await using store = await TestStore.open();
    await (await bring(store, 'unwritten', 'unwritten', 'written')).stop();
    assert.equal(await count(store), 1);
  });

  it('is recognised if the link died after the answer was written, before the carrier sent anything again', async () => {
    await using store = await TestStore.open();
    await (await bring(store, 'lost', 'written', 'written')).stop();
    assert.equal(await count(store), 2);
  });

  for (const [end, messages] of [
    ['stopped', 2],
    ['killed', 1],
  ] as const) {
    it(`after the gateway was ${end}: ${messages} in all`, async () => {
      await using store = await TestStore.open();
      const answers = await bring(store, 'written');
      if (end === 'stopped') await answers.stop();
      await store.restart();
      await (await bring(store, 'written')).stop();
      assert.equal(await count(store), messages);
      await answers.stop();
    });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMessageId } from '../../core/base/message-id.ts';
import type { Notification, TryOutcome } from '../../core/notification/notification.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { onlyNode } from '../nodes/nodes.ts';
import type { AnyResult, Command, CommandOf, ResultOf } from '../../state/commands.ts';
import type { DestinationKey } from '../../state/tables/notification.ts';
import { readView } from '../../store/views/views.ts';
import { TestStore } from '../../../test/support/store/store.ts';
import { Notifier } from './notify.ts';
import type { Destination } from './worker.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';
import { machineRandom } from '../../runtime/random.ts';

const webhookKey: DestinationKey = { kind: 'webhook', account: 1, webhook: 1 };
const sessionKey: DestinationKey = { kind: 'sessions', account: 1 };

/** The real store and its views, with a clock that the test moves. */
class Scene implements AsyncDisposable {
  readonly store: TestStore;
  readonly clock: TestClock;
  readonly notifier: Notifier;
  takes = true;
  /** Set while it is not certain that the node may send. */
  certain: Promise<void> | undefined;
  /** How often due notifications were read. */
  reads = 0;
  /** The answers of reads wait for this. */
  answers: Promise<unknown> = Promise.resolve();
  #lastInbound = 5_000;
  #group: Command[] = [];
  #applied: Promise<readonly AnyResult[]> | undefined;

  static async open(): Promise<Scene> {
    const store = await TestStore.open({ isCounting: true });
    await store.run(
      `insert into webhook (id, account, url, method, kinds, concurrency, allowed, status, created_at)
        values (1, 1, 'https://example.com/', 'post-json', '["inbound","receipt","alert"]', 10, '[]', 'active', 0);
      insert into number (digits, kind, number, account, created_at) values ('41790000000', 'number', '+41790000000', 1, 0);`,
    );
    await store.restart();
    return new Scene(store);
  }

  private constructor(store: TestStore) {
    this.store = store;
    this.clock = TestClock.still(store.now);
    this.notifier = new Notifier({
      nodes: { ...onlyNode, whenCertain: () => this.certain },
      journal: {
        append: async (command) => {
          if (!this.takes) return refused({ code: 'unavailable', detail: 'no room' });
          return this.#append(command);
        },
      },
      // Reads views like the reading thread, but in this thread.
      reader: {
        ask: async (view, input) => {
          this.reads += 1;
          const answer = await readView(store.queries, view, input);
          await this.answers;
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion
          return ok(answer as never);
        },
      },
      clock: this.clock,
      random: { ...machineRandom, chance: () => 0.5 },
      log: quietLog,
    });
  }

  /** Commits commands that come at the same time in one group, like the journal. */
  async #append<K extends Command['kind']>(command: CommandOf<K>): Promise<ResultOf<K>> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const at = this.#group.push(command as Command) - 1;
    this.#applied ??= this.#applyGroup();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (await this.#applied)[at] as ResultOf<K>;
  }

  async #applyGroup(): Promise<readonly AnyResult[]> {
    await Promise.resolve();
    const group = this.#group;
    this.#group = [];
    this.#applied = undefined;
    const results = await this.store.apply(...group);
    this.hear();
    return results;
  }

  hear(): void {
    this.notifier.hasNews(this.store.news.splice(0));
  }

  /** Stores inbound messages with these texts, and informs the notifier. */
  async receive(...texts: readonly string[]): Promise<void> {
    await this.commit(...texts);
    this.hear();
  }

  /** Stores inbound messages with these texts in one commit, without informing the notifier. */
  async commit(...texts: readonly string[]): Promise<void> {
    const commands = texts.map((text): CommandOf<'inbound'> => ({
      kind: 'inbound',
      at: this.store.now,
      id: toMessageId(++this.#lastInbound),
      carrier: 1,
      sender: '+41791112233',
      receiver: '+41790000000',
      code: 0,
      octets: Buffer.from(text, 'latin1'),
      coding: 'gsm7',
      concatenation: null,
      header: null,
    }));
    await this.store.apply(...commands);
  }

  /** Moves the clock by this many milliseconds. */
  pass(ms: number): void {
    this.store.now += ms;
    this.clock.advance(ms);
  }

  async states(): Promise<unknown[]> {
    return (await this.store.rows('select id, state, tries, outcome from notification order by id')).map((row) =>
      Object.values(row).join(' '),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.notifier.stop();
    await this.store[Symbol.asyncDispose]();
  }
}

/** A destination that keeps its notifications, and gives the answers of the test. */
class Ear implements Destination {
  readonly told: Notification[] = [];
  readonly #open: ((outcome: TryOutcome) => void)[] = [];
  max: number;
  answer: TryOutcome | null;

  constructor(answer: TryOutcome | null = delivered, max = 10) {
    this.answer = answer;
    this.max = max;
  }

  room(): number {
    return this.max - this.#open.length;
  }

  deliver(notification: Notification): Promise<TryOutcome> {
    this.told.push(notification);
    if (this.answer) return Promise.resolve(this.answer);
    return new Promise((resolve) => this.#open.push(resolve));
  }

  end(outcome: TryOutcome): void {
    this.#open.shift()?.(outcome);
  }

  get texts(): (string | null)[] {
    return this.told.map((notification) => (notification.kind === 'inbound' ? notification.text : null));
  }
}

const delivered: TryOutcome = { kind: 'delivered', by: 'webhook 1', detail: '200' };
const later: TryOutcome = { kind: 'later', by: 'webhook 1', detail: '500' };

/** Thousands of notifications take PostgreSQL ten seconds while other tests use the machine. */
const untilMaxMs = 60_000;

function until(what: () => unknown, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  return waitUntil(() => `the awaited state, but ${JSON.stringify(what())}`, condition, untilMaxMs, 2);
}

const settleTurns = 3;

/** Waits until deliveries and reads under way have ended. */
async function settle({ store }: Scene): Promise<void> {
  for (let each = 0; each < settleTurns; each++) {
    await store.balance();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits until the states in the store are as wanted. A commit is in the store before the notifier hears of it. */
async function untilStates(scene: Scene, isWanted: (states: readonly unknown[]) => boolean): Promise<void> {
  let seen: readonly unknown[] = [];
  await until(
    () => seen,
    async () => isWanted((seen = await scene.states())),
  );
  await settle(scene);
}

const states = (scene: Scene, ...wanted: readonly string[]) =>
  untilStates(scene, (found) => found.join() === wanted.join());

const heard = (ear: Ear, ...texts: readonly string[]) =>
  until(
    () => ear.texts,
    () => ear.told.length === texts.length && ear.texts.join() === texts.join(),
  );

test('new notifications are delivered without a read', async () => {
  await using scene = await Scene.open();
  const ear = new Ear();
  scene.notifier.open(webhookKey, ear);
  await settle(scene);
  const { reads } = scene;
  await scene.receive('one', 'two');
  await states(scene, '1 delivered 1 200', '2 delivered 1 200');
  assert.equal(scene.reads, reads);
});

test('a node that may have been replaced delivers nothing until it is certain, and then no more than fit (P7)', async () => {
  await using scene = await Scene.open();
  const ear = new Ear(null, 2);
  scene.notifier.open(webhookKey, ear);
  await settle(scene);
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.certain = promise;
  await scene.receive('one', 'two', 'three');
  await settle(scene);
  assert.equal(ear.told.length, 0);
  scene.certain = undefined;
  resolve();
  await heard(ear, 'one', 'two');
  await settle(scene);
  assert.equal(ear.told.length, 2);
  for (let count = 0; count < 3; count++) ear.end(delivered);
});

test('notifications that come during a read are delivered once, whether the read found them or not', async () => {
  await using scene = await Scene.open();
  const ear = new Ear(null);
  await scene.commit('one');
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.answers = promise;
  scene.notifier.open(webhookKey, ear);
  scene.hear();
  await settle(scene);
  await scene.receive('two');
  resolve();
  await heard(ear, 'one', 'two');
  await settle(scene);
  assert.deepEqual(ear.texts, ['one', 'two']);
  ear.end(delivered);
  ear.end(delivered);
});

test('notifications that are too many for the memory are read later, in order', async () => {
  await using scene = await Scene.open();
  const ear = new Ear(delivered, 0);
  scene.notifier.open(webhookKey, ear);
  await settle(scene);
  const texts = Array.from({ length: 4_500 }, (_, at) => String(at));
  for (let at = 0; at < texts.length; at += 1_500) {
    await scene.receive(...texts.slice(at, at + 1_500));
    scene.pass(1);
  }
  const { reads } = scene;
  ear.max = 100;
  scene.notifier.hasRoom(webhookKey);
  await heard(ear, ...texts);
  assert.ok(scene.reads > reads);
});

test('a failed delivery is repeated after 5 s and then 30 s, under the same id, until it is acknowledged (O2)', async () => {
  await using scene = await Scene.open();
  const ear = new Ear(later);
  scene.notifier.open(webhookKey, ear);
  await scene.receive('one');
  await states(scene, '1 waiting 1 500');
  scene.pass(4 * secondMs);
  await settle(scene);
  assert.equal(ear.told.length, 1);
  scene.pass(secondMs);
  await states(scene, '1 waiting 2 500');
  ear.answer = delivered;
  scene.pass(30 * secondMs);
  await states(scene, '1 delivered 3 200');
  assert.deepEqual(
    ear.told.map(({ id }) => id),
    [1, 1, 1],
  );
});

test('a destination gets only as many notifications as it has room for, and the others when it has room again', async () => {
  await using scene = await Scene.open();
  const ear = new Ear(null, 2);
  await scene.receive('one', 'two', 'three');
  scene.notifier.open(webhookKey, ear);
  await heard(ear, 'one', 'two');
  await settle(scene);
  assert.equal(ear.told.length, 2);
  ear.end(delivered);
  await heard(ear, 'one', 'two', 'three');
  ear.end(delivered);
  ear.end(delivered);
});

test('a bound session gets notifications before the webhook, which takes over when no session is bound', async () => {
  await using scene = await Scene.open();
  await scene.store.run('update webhook set removed_at = null');
  const [webhook, session] = [new Ear(later), new Ear({ kind: 'delivered', by: 'session acme', detail: 'ROK' })];
  scene.notifier.open(webhookKey, webhook);
  await scene.receive('one');
  await states(scene, '1 waiting 1 500');
  await scene.store.run('update notification set by_session = 1');
  scene.notifier.open(sessionKey, session);
  await states(scene, '1 delivered 2 ROK');
  assert.deepEqual(session.texts, ['one']);
  // The window of the session is full, but the session is still bound, so the webhook waits.
  session.max = 0;
  await scene.commit('two');
  await scene.store.run('update notification set by_session = 1 where id = 2');
  scene.hear();
  await settle(scene);
  assert.deepEqual(webhook.texts, ['one']);
  void scene.notifier.close(sessionKey);
  await states(scene, '1 delivered 2 ROK', '2 waiting 1 500');
});

test('notifications that a destination did not try because it closed are left for the next destination', async () => {
  await using scene = await Scene.open();
  const closed = new Ear({ kind: 'untried' });
  scene.notifier.open(webhookKey, closed);
  await scene.receive('one');
  await heard(closed, 'one');
  const ear = new Ear();
  scene.notifier.open(webhookKey, ear);
  await states(scene, '1 delivered 1 200');
});

test('if a delivery fails after its webhook was changed, it is soon repeated at the new address', async () => {
  await using scene = await Scene.open();
  const [before, now] = [new Ear(later), new Ear()];
  scene.notifier.open(webhookKey, before);
  await scene.receive('one');
  for (const [failures, wait] of [5, 30, 120, 600].entries()) {
    await states(scene, `1 waiting ${failures + 1} 500`);
    await settle(scene);
    if (failures === 3) before.answer = null;
    scene.pass(wait * secondMs);
  }
  await heard(before, ...Array.from({ length: 5 }, () => 'one'));
  scene.notifier.open(webhookKey, now);
  before.end({ kind: 'gone', by: 'webhook 1', detail: '410' });
  await states(scene, '1 waiting 5 410');
  assert.equal((await scene.store.rows('select status from webhook'))[0]?.['status'], 'active');
  await settle(scene);
  scene.pass(5 * secondMs);
  await states(scene, '1 delivered 6 200');
});

test('a delivered notification is not delivered again while the store cannot record it', async () => {
  await using scene = await Scene.open();
  const ear = new Ear();
  scene.notifier.open(webhookKey, ear);
  scene.takes = false;
  await scene.receive('one');
  await heard(ear, 'one');
  scene.pass(secondMs);
  await settle(scene);
  scene.takes = true;
  scene.pass(secondMs);
  await states(scene, '1 delivered 1 200');
  assert.equal(ear.told.length, 1);
});

test('an account without a destination keeps no notifications', async () => {
  await using scene = await Scene.open();
  await scene.store.run('update webhook set removed_at = 1');
  await scene.store.restart();
  await scene.receive('one');
  await settle(scene);
  assert.deepEqual(await scene.states(), []);
});

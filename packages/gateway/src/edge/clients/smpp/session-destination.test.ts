import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, listen, statuses, type Server, type Session, type StatusName } from '@morsel/smpp';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { Notification, TryOutcome } from '../../../core/notification/notification.ts';
import { sampleOf } from '../../../core/notification/sample.ts';
import { SessionDestination, type ReceivingSession } from './session-destination.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';

/* An account's sessions as a destination, over real sockets. */

type Behaviour = StatusName | null | 'drop' | ((text: string) => StatusName | null);

interface ClientOptions {
  readonly answer?: Behaviour;
  readonly window?: number;
  readonly timeoutMs?: number;
  readonly version?: 0x33 | 0x34;
}

const settings = { defaultCoding: 'gsm7', smppLong: 'payload' } as const;

/** The sessions of one account by their names, with the PDUs that each session got. */
class Scene implements AsyncDisposable {
  readonly destination: SessionDestination;
  readonly told = new Map<string, string[]>();
  readonly #server: Server;
  readonly #arriving: Map<string, (session: Session) => void>;
  readonly #clients: Session[] = [];
  readonly #receiving = new Map<string, ReceivingSession>();
  rooms = 0;
  readonly clock = TestClock.still();

  private constructor(server: Server, arriving: Map<string, (session: Session) => void>) {
    this.#server = server;
    this.#arriving = arriving;
    this.destination = new SessionDestination({ clock: this.clock, hasRoom: () => (this.rooms += 1) });
  }

  static async open(): Promise<Scene> {
    const arriving = new Map<string, (session: Session) => void>();
    const server = await listen({
      port: 0,
      host: '127.0.0.1',
      system_id: 'morsel',
      authenticate: async ({ bind }) => ({
        kind: 'admitted',
        handlers: (session) => ({
          onBound: () => arriving.get(bind.system_id)?.(session),
          onRequest: (_pdu, respond) => void respond(0),
        }),
      }),
    });
    return new Scene(server, arriving);
  }

  async add(name: string, { answer = 'ESME_ROK', window = 10, timeoutMs, version = 0x34 }: ClientOptions = {}) {
    const told: string[] = [];
    this.told.set(name, told);
    const { promise, resolve } = Promise.withResolvers<Session>();
    this.#arriving.set(name, resolve);
    const client = await connect({
      host: '127.0.0.1',
      port: this.#server.port,
      bind: { command: 'bind_transceiver', system_id: name, password: 'secret', interface_version: version },
      handlerStallMs: Infinity,
      onRequest: (pdu, respond) => {
        const text = pdu.command === 'deliver_sm' ? Buffer.from(pdu.short_message).toString('latin1') : '';
        told.push(text);
        const says = typeof answer === 'function' ? answer(text) : answer;
        if (says === 'drop') client.destroy();
        else if (says !== null) respond(statuses[says]);
      },
    });
    this.#clients.push(client);
    const session = await promise;
    session.adjust({ windowMax: window, ...(timeoutMs !== undefined && { responseTimeoutMs: timeoutMs }) });
    const receiving = { systemId: name, session, account: () => settings };
    this.#receiving.set(name, receiving);
    this.destination.add(receiving);
  }

  /** Ends a session from our side, before the destination is notified of it. */
  end(name: string): void {
    for (const session of this.#server.sessions) if (session.peer.system_id === name) session.destroy();
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.told].map(([name, texts]) => [name, texts.length]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.destroy();
    for (const receiving of this.#receiving.values()) this.destination.remove(receiving);
    await this.#server.close(0);
  }
}

let lastId = 0;

function notification(text = 'Hello', tries = 0, sender = '+41791230001'): Notification {
  lastId += 1;
  const frame = { id: lastId, account: 1, tries, createdAt: 0, triedFrom: 0 };
  const ours = { msgId: toMessageId(1_000_000 + lastId), sender, receiver: '+41790000001', text };
  return Object.assign(frame, sampleOf('inbound', { now: 0, currency: 'EUR' }), ours);
}

const answers = [
  ['ESME_ROK', 'delivered'],
  ['ESME_RX_T_APPN', 'later'],
  ['ESME_RMSGQFUL', 'later'],
  ['ESME_RSYSERR', 'later'],
  ['ESME_RTHROTTLED', 'later'],
  ['ESME_RX_P_APPN', 'never'],
  ['ESME_RX_R_APPN', 'never'],
  ['ESME_RINVMSGLEN', 'later'],
  ['ESME_RUNKNOWNERR', 'later'],
] as const;

for (const [answer, wanted] of answers) {
  test(`a session that answers ${answer} makes the outcome ${wanted}`, async () => {
    await using scene = await Scene.open();
    await scene.add('one', { answer });
    assert.deepEqual(await scene.destination.deliver(notification()), {
      kind: wanted,
      by: 'session one',
      detail: answer,
    });
  });
}

test('a notification with repeated invalid answers is given up, unlike one with temporary errors', async () => {
  await using scene = await Scene.open();
  await scene.add('odd', { answer: 'ESME_RINVDSTADR' });
  assert.equal((await scene.destination.deliver(notification('Hello', 18))).kind, 'later');
  assert.equal((await scene.destination.deliver(notification('Hello', 19))).kind, 'never');
  await using busy = await Scene.open();
  await busy.add('busy', { answer: 'ESME_RX_T_APPN' });
  assert.equal((await busy.destination.deliver(notification('Hello', 500))).kind, 'later');
});

for (const answer of ['ESME_RX_T_APPN', 'ESME_RMSGQFUL', 'ESME_RSYSERR', 'ESME_RINVESMCLASS', 'drop', null] as const) {
  test(`a notification that a session answers with ${answer ?? 'nothing'} goes to another session at once`, async () => {
    await using scene = await Scene.open();
    await scene.add('bad', { answer, timeoutMs: 200 });
    await scene.add('good');
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => scene.destination.deliver(notification())));
    for (const outcome of outcomes) {
      assert.deepEqual(outcome, { kind: 'delivered', by: 'session good', detail: 'ESME_ROK' });
    }
    assert.equal(scene.counts()['good'], 4);
    assert.ok((scene.counts()['bad'] ?? 0) > 0, 'it was tried there first');
  });
}

test('a notification that one session refuses permanently goes to no other session', async () => {
  await using scene = await Scene.open();
  await scene.add('one', { answer: 'ESME_RX_P_APPN' });
  await scene.add('two', { answer: 'ESME_RX_P_APPN' });
  assert.equal((await scene.destination.deliver(notification())).kind, 'never');
  assert.equal((scene.counts()['one'] ?? 0) + (scene.counts()['two'] ?? 0), 1);
});

test('notifications are spread evenly over sessions with room', async () => {
  await using scene = await Scene.open();
  for (const name of ['one', 'two', 'three', 'four']) await scene.add(name);
  await Promise.all(Array.from({ length: 40 }, () => scene.destination.deliver(notification())));
  assert.deepEqual(scene.counts(), { one: 10, two: 10, three: 10, four: 10 });
});

test('no session has more in flight than its window, and a silent session delays only its own notifications', async () => {
  await using scene = await Scene.open();
  await scene.add('hanging', { answer: null, window: 3 });
  await scene.add('good', { window: 5 });
  assert.equal(scene.destination.room(), 8);
  const outcomes: TryOutcome[] = [];
  const tell = async () => void outcomes.push(await scene.destination.deliver(notification()));
  for (let told = 0; told < 100; told++) {
    while (scene.destination.room() === 0) await new Promise((resolve) => setImmediate(resolve));
    void tell();
  }
  while (outcomes.length < 97) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(outcomes.every(({ kind }) => kind === 'delivered'));
  assert.deepEqual(scene.counts(), { hanging: 3, good: 97 });
  assert.equal(scene.destination.room(), 5);
});

test('a session that keeps failing has half of its share after each failure, then longer and longer pauses', async () => {
  await using scene = await Scene.open();
  await scene.add('one', { answer: 'ESME_RX_T_APPN', window: 8 });
  const rooms: number[] = [];
  for (let round = 0; round < 5; round++) {
    rooms.push(scene.destination.room());
    await Promise.all(
      Array.from({ length: scene.destination.room() }, () => scene.destination.deliver(notification())),
    );
  }
  assert.deepEqual(rooms, [8, 4, 2, 1, 0], 'all of a window that fail count as one failure');
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    scene.clock.advance(seconds * 1000 - 1);
    assert.equal(scene.destination.room(), 0, `for ${seconds} s`);
    scene.clock.advance(1);
    assert.equal(scene.destination.room(), 1);
    await scene.destination.deliver(notification());
  }
});

test('a session that accepts again gets its window back, one place for each success', async () => {
  await using scene = await Scene.open();
  let isBad = true;
  await scene.add('one', { answer: () => (isBad ? 'ESME_RMSGQFUL' : 'ESME_ROK'), window: 4 });
  await scene.destination.deliver(notification());
  isBad = false;
  const rooms: number[] = [];
  for (let told = 0; told < 4; told++) {
    rooms.push(scene.destination.room());
    await scene.destination.deliver(notification());
  }
  assert.deepEqual(rooms, [2, 3, 4, 4]);
});

test('a notification is untried if its session ended before it was sent, and fails if the answer is missing', async () => {
  await using scene = await Scene.open();
  await scene.add('one');
  scene.end('one');
  assert.deepEqual(await scene.destination.deliver(notification()), { kind: 'untried' });
  await scene.add('two', { answer: 'drop' });
  assert.deepEqual(await scene.destination.deliver(notification()), {
    kind: 'later',
    by: 'session two',
    detail: 'the session ended before the client answered',
  });
});

test('one session must accept all parts of a long message, one after the other', async () => {
  const text = 'x'.repeat(400);
  await using scene = await Scene.open();
  let parts = 0;
  await scene.add('one', { version: 0x33, window: 1, answer: () => (++parts === 3 ? 'ESME_RX_T_APPN' : 'ESME_ROK') });
  assert.equal((await scene.destination.deliver(notification(text))).kind, 'later');
  assert.equal(scene.counts()['one'], 3);
  scene.clock.advance(1_000);
  assert.equal((await scene.destination.deliver(notification(text))).kind, 'delivered');
  const [first, , third] = scene.told.get('one') ?? [];
  assert.deepEqual([first?.length, third?.length, scene.counts()['one']], [159, 100, 6]);
});

test('a notification that does not fit into a deliver_sm becomes a dead letter with the reason', async () => {
  await using scene = await Scene.open();
  await scene.add('one');
  const outcome = await scene.destination.deliver(notification('Hello', 0, 'a name of far too many characters'));
  assert.deepEqual(outcome, {
    kind: 'never',
    by: 'session one',
    detail: 'the notification does not fit into the field source_addr of deliver_sm',
  });
  assert.equal((await scene.destination.deliver(notification())).kind, 'delivered', 'and the session goes on');
});

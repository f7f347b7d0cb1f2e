import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { inboundWaitMs } from '../../core/message/inbound.ts';
import { toMessageId } from '../../core/base/message-id.ts';
import { ok } from '@morsel/api/values/result.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { AnyResult, Command, CommandOf, ResultOf } from '../../store/commands/commands.ts';
import { startExpiring } from './expire.ts';

/** A store with always more to do, so that no look waits for the next; each look takes a second of its clock. */
class BusyStore {
  now = 1_000_000_000_000;
  readonly #startedAt = this.now;
  readonly inbound: (CommandOf<'expire-inbound'> & { readonly sinceStart: number })[] = [];
  /** When each sweep came, in looks. */
  readonly sweptAt: number[] = [];
  /** And each look for notifications that nobody came for. */
  readonly notificationsAt: number[] = [];
  looks = 0;
  readonly #full: number;

  constructor(full: number) {
    this.#full = full;
  }

  append<K extends Command['kind']>(command: CommandOf<K>): Promise<ResultOf<K>>;
  async append(command: Command): Promise<AnyResult> {
    await turn();
    if (command.kind === 'sweep') {
      this.sweptAt.push(this.looks);
      return ok({ isMore: this.sweptAt.length < this.#full });
    }
    if (command.kind === 'expire-notifications') {
      this.notificationsAt.push(this.looks);
      return ok({ isMore: this.notificationsAt.length < this.#full });
    }
    if (command.kind === 'forget-notifications') return ok({ last: command.after, isMore: false });
    if (command.kind === 'expire') {
      this.looks += 1;
      this.now += secondMs;
      return ok({ looked: command.max, requeued: 0 });
    }
    if (command.kind !== 'expire-inbound') return ok(null);
    this.inbound.push({ ...command, sinceStart: this.now - this.#startedAt });
    return ok({ isFull: this.inbound.length < this.#full, messages: 0 });
  }
}

async function run(store: BusyStore, isOver: () => boolean): Promise<void> {
  let last = 0;
  const expiring = startExpiring({
    journal: store,
    clock: { now: () => store.now },
    nextId: () => toMessageId(++last),
    isHeld: () => false,
    waits: () => {},
  });
  while (!isOver()) await turn();
  await expiring.stop();
}

it('parts from phones are given up half an hour old, and none in the first minutes after a start (O3)', async () => {
  const store = new BusyStore(0);
  const startedAt = store.now;
  await run(store, () => store.inbound.length >= 3 || store.now - startedAt > 30 * minuteMs);
  const [first, second] = store.inbound;
  assert.ok(first && second);
  assert.ok(first.sinceStart >= 5 * minuteMs && first.sinceStart < 6 * minuteMs, String(first.sinceStart));
  assert.ok(second.at - first.at < minuteMs);
  assert.equal(first.before, first.at - inboundWaitMs);
  assert.equal(new Set([...first.ids, ...second.ids]).size, first.ids.length + second.ids.length);
});

it('where more of them wait than one command takes, the next follows at once', async () => {
  const store = new BusyStore(4);
  await run(store, () => store.inbound.length >= 4);
  assert.equal(new Set(store.inbound.slice(0, 4).map(({ at }) => at)).size, 1);
});

it('where more is to be forgotten than one command takes, the next follows, with a look for what is due between them', async () => {
  const store = new BusyStore(4);
  await run(store, () => store.sweptAt.length >= 5);
  assert.deepEqual(store.sweptAt.slice(0, 5), [0, 1, 2, 3, 60]);
});

it('notifications that nobody came for are given up at the start and each hour, all of them at once', async () => {
  const store = new BusyStore(3);
  await run(store, () => store.notificationsAt.length >= 4);
  assert.deepEqual(store.notificationsAt.slice(0, 4), [0, 0, 0, 3_600]);
});

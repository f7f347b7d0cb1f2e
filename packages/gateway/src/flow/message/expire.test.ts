import type { AnyResult, Command, CommandOf, ResultOf } from '../../state/commands.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { inboundWaitMs } from '../../core/message/inbound.ts';
import { toMessageId } from '../../core/base/message-id.ts';
import { ok } from '@morsel/api/values/result.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import { startExpiring } from './expire.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';

/** A store that answers at once, and reports after its first commands that more rows are left. */
class BusyStore {
  readonly clock = TestClock.still(1_000_000_000_000);
  readonly inbound: (CommandOf<'expire-inbound'> & { readonly sinceStart: number })[] = [];
  /** When the sweeps came, in seconds from the start. */
  readonly sweptAt: number[] = [];
  /** When commands came that give up notifications for which no session was bound, in seconds from the start. */
  readonly notificationsAt: number[] = [];
  readonly #full: number;

  constructor(full: number) {
    this.#full = full;
  }

  get sinceStart(): number {
    return this.clock.monotonicMs();
  }

  append<K extends Command['kind']>(command: CommandOf<K>): Promise<ResultOf<K>>;
  async append(command: Command): Promise<AnyResult> {
    const seconds = this.sinceStart / secondMs;
    switch (command.kind) {
      case 'sweep':
        this.sweptAt.push(seconds);
        return ok({ isMore: this.sweptAt.length < this.#full });
      case 'expire-notifications':
        this.notificationsAt.push(seconds);
        return ok({ isMore: this.notificationsAt.length < this.#full });
      case 'forget-notifications':
        return ok({ last: command.after, isMore: false });
      case 'expire-inbound':
        this.inbound.push({ ...command, sinceStart: this.sinceStart });
        return ok({ isFull: this.inbound.length < this.#full, messages: 0 });
      default:
        return ok(null);
    }
  }
}

/** Lets this much time pass, second by second. */
async function run(store: BusyStore, ms: number): Promise<void> {
  let last = 0;
  const { clock } = store;
  await using started = new AsyncDisposableStack();
  const expiring = startExpiring({
    journal: store,
    clock,
    log: { ...quietLog, error: () => assert.fail() },
    nextId: () => toMessageId(++last),
    isHeld: () => false,
  });
  started.use(expiring);
  await turn();
  while (store.sinceStart < ms) {
    clock.advance(secondMs);
    await turn();
  }
}

it('incomplete inbound messages are delivered when half an hour old, and none in the first minutes after a start (O3)', async () => {
  const store = new BusyStore(0);
  await run(store, 7 * minuteMs);
  const [first, second] = store.inbound;
  assert.ok(first && second);
  assert.ok(first.sinceStart >= 5 * minuteMs && first.sinceStart < 6 * minuteMs, String(first.sinceStart));
  assert.ok(second.at - first.at < minuteMs);
  assert.equal(first.before, first.at - inboundWaitMs);
  assert.equal(new Set([...first.ids, ...second.ids]).size, first.ids.length + second.ids.length);
});

it('if more rows are due than one command takes, the next command follows at once, otherwise after its time', async () => {
  const store = new BusyStore(4);
  await run(store, 61 * minuteMs);
  assert.equal(new Set(store.inbound.slice(0, 4).map(({ at }) => at)).size, 1);
  assert.deepEqual(store.sweptAt.slice(0, 5), [0, 0, 0, 0, 60]);
  assert.deepEqual(store.notificationsAt, [0, 0, 0, 0, 3_600]);
});

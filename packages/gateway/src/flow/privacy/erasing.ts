import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import { instantOf, firstIdAt, toMessageId } from '../../core/base/message-id.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import type { ErasureRow } from '../../state/tables/privacy/erasure.ts';
import type { Tools } from '../ports.ts';

/*
 * Erases phone numbers. No index has receivers, so the reading thread looks through all messages by id, then through
 * inbound messages. Then it waits for unfinished messages, and searches the database's files.
 */

/** Deletes what a database keeps of deleted rows. */
export interface Cleaner {
  /** Number of copies left; null if unknown. `isLeft`: some rows keep the number, so no rebuild can remove it. */
  clean(number: string, isLeft: boolean): Promise<number | null>;
}

interface ErasingNeeds extends Pick<Tools, 'log' | 'clock' | 'reader' | 'prices'> {
  readonly journal: Pick<Journal, 'append' | 'statistics'>;
  readonly cleaner: Cleaner;
}

/** How often the gateway looks for new erasures and for unfinished messages. */
const everyMs = minuteMs;
/** The most messages that one look reads. A look takes some tens of milliseconds, and other questions wait for it. */
const lookedMax = 20_000;
/** The most unfinished messages that one command looks at. */
const leftMax = 100;
/** The pause after a look, as a multiple of its duration. */
const restShare = 3;
const restMaxMs = secondMs;
/** A message may be stored this long after messages with higher ids. */
const lateMs = minuteMs;
const listedMax = 1_000;
const batchMax = 100;

/** Erased numbers with old copies in the files, by erasure. They are only in memory: no row has them any more. */
type Unproven = Map<number, string>;

/** Carries out erasures from `start` on, which only one node of the store calls. */
export class Erasing {
  readonly #needs: Needs;
  #loop: Loop | undefined;

  constructor(needs: ErasingNeeds) {
    this.#needs = { ...needs, unproven: new Map() };
  }

  start(): Loop {
    const turn = () => eraseNext(this.#needs);
    this.#loop = new Loop({ ...this.#needs, name: 'erase numbers', everyMs, turn, isEager: true });
    return this.#loop;
  }

  wake(): void {
    this.#loop?.wake();
  }

  /** Searches the files again for numbers with old copies, because the database was rebuilt. */
  async lookAgain(): Promise<void> {
    if (this.#loop) await lookAgain(this.#needs);
  }
}

type Needs = ErasingNeeds & { readonly unproven: Unproven };

async function lookAgain(needs: Needs): Promise<void> {
  for (let after: string | undefined; ;) {
    const page = await needs.reader.ask('erasures', { after, limit: listedMax });
    if (!page.ok) return;
    for (const { id, phase, stale } of page.value.items) {
      if (phase === 'done' && stale !== 0 && stale !== null) await end(needs, id, needs.unproven.get(id));
    }
    if (page.value.next === null) return;
    after = page.value.next;
  }
}

/** Ends an erasure. Without `number`, after a restart, nobody can search the files for the number. */
async function end(needs: Needs, id: number, number: string | undefined): Promise<boolean> {
  const { journal, clock, prices, cleaner, unproven } = needs;
  if (number !== undefined) unproven.set(id, number);
  const left = number === undefined ? undefined : await prices.ask('numberLeft', number);
  if (left && !left.ok) return false;
  const leftIn = left?.value ?? null;
  const stale = number === undefined ? null : await cleaner.clean(number, leftIn !== '');
  if (!stale) unproven.delete(id);
  return (await journal.append<'end-erasure'>({ kind: 'end-erasure', at: clock.now(), id, stale, leftIn })).ok;
}

/** Makes one step of the open erasure. Returns when the next step may follow. */
async function eraseNext(needs: Needs): Promise<number> {
  const { reader, clock } = needs;
  const beganMs = clock.monotonicMs();
  const read = await reader.ask('openErasure', undefined);
  if (!read.ok || !read.value) return everyMs;
  if (!(await step(needs, read.value))) return everyMs;
  return Math.min(restMaxMs, Math.max(1, (clock.monotonicMs() - beganMs) * restShare));
}

/** Returns whether the next step may follow soon. */
async function step(needs: Needs, row: ErasureRow): Promise<boolean> {
  const { journal, clock } = needs;
  const { id, receiver } = row;
  switch (row.phase) {
    case 'messages':
    case 'inbound':
      return lookOnce(needs, row);
    case 'unfinished': {
      const done = await journal.append<'erase-rest'>({ kind: 'erase-rest', at: clock.now(), id, max: leftMax });
      if (!done.ok) return false;
      if (!done.value.isDone) return done.value.isMore;
      return end(needs, id, receiver ?? undefined);
    }
    case 'files':
      // An earlier process ended while it searched the files. The number is not stored any more.
      return end(needs, id, needs.unproven.get(id));
    case 'done':
      return true;
  }
}

async function lookOnce({ reader, journal, clock }: ErasingNeeds, row: ErasureRow): Promise<boolean> {
  if (row.receiver === null) return false;
  const of = row.phase === 'inbound' ? 'inbound' : 'message';
  const { receiver } = row;
  const look = (after: number) => reader.ask('numberLook', { of, receiver, after, max: lookedMax });
  const looked = await look(row.through);
  if (!looked.ok) return false;
  const { through, isEnd } = looked.value;
  // Finds messages with lower ids that were stored after the look had passed these ids.
  const late = isEnd && through > 0 ? await look(firstIdAt(instantOf(toMessageId(through)) - lateMs)) : undefined;
  const found = [...new Set([...looked.value.found, ...(late?.ok ? late.value.found : [])])];
  do {
    const some = found.splice(0, batchMax);
    const isLast = found.length === 0;
    const given = { id: row.id, found: some, through: isLast ? through : row.through, isEnd: isEnd && isLast };
    const done = await journal.append<'erase-found'>({ kind: 'erase-found', at: clock.now(), ...given });
    if (!done.ok) return false;
  } while (found.length > 0);
  return true;
}

/* Remembers which inbound messages may be unacknowledged, so that a redelivery is not stored as a new message. */

import { type MessageId, toMessageId } from '../../core/base/message-id.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { RecordInbound } from '../../state/tables/inbound.ts';
import type { Tools } from '../ports.ts';

/** After a crash, inbound messages of this last period count as repeats if the carrier sends them again. */
const noteEveryMs = secondMs;

/**
 * A carrier repeats an inbound message if it has not read the answer. Nothing else distinguishes a repeated single-part
 * message from a new one with the same text.
 */
export class InboundAnswers {
  readonly #needs;
  /** Inbound messages whose answers the carrier may not have read, in the order of their ids. */
  readonly #open = new Set<MessageId>();
  #newest = 0;
  #noted = 0;
  readonly #loop: Loop;

  constructor(needs: Pick<Tools, 'log' | 'clock' | 'journal'>) {
    this.#needs = needs;
    const turn = () => this.#note();
    this.#loop = new Loop({ ...needs, name: 'record answered inbound messages', everyMs: noteEveryMs, turn });
  }

  came({ id }: RecordInbound): void {
    this.#open.add(id);
    this.#newest = Math.max(this.#newest, id);
  }

  /**
   * Call this when the carrier has surely read the answer, or (`isRead` is false) the link ended before. A message that
   * was not stored (`isKept` is false) counts as new if it comes again.
   */
  answered(inbound: RecordInbound, { isKept, isRead }: { isKept: boolean; isRead: boolean }): void {
    this.#open.delete(inbound.id);
    if (!isKept || isRead) return;
    void this.#needs.journal.append<'expect-repeat'>({ kind: 'expect-repeat', at: this.#needs.clock.now(), inbound });
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#note();
  }

  async #note(): Promise<void> {
    const [oldest] = this.#open;
    const before = toMessageId(oldest ?? this.#newest + 1);
    if (this.#newest === 0 || before === this.#noted) return;
    const noted = await this.#needs.journal.append<'inbound-answered'>({
      kind: 'inbound-answered',
      at: this.#needs.clock.now(),
      before,
    });
    if (noted.ok) this.#noted = before;
  }
}

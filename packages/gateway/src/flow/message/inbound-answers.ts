/* Remembers which inbound messages may be unanswered, so that their redelivery is not taken for a new message. */

import type { MessageId } from '../../core/base/message-id.ts';
import { toMessageId } from '../../core/base/message-id.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { RecordInbound } from '../../store/commands/inbound.ts';
import type { Journal } from '../../store/journal.ts';

interface AnswerNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
}

/** After a crash, messages of this last period are taken for repeats if they come again. */
const noteEveryMs = secondMs;

/**
 * Records which inbound messages were answered. After a crash or the end of a link, a carrier sends the others again.
 * The store must know which these are, because nothing else tells a repeat of a message of one part from a second one.
 */
export class InboundAnswers {
  readonly #needs: AnswerNeeds;
  /** Ids grow, so the first is the lowest. */
  readonly #open = new Set<MessageId>();
  #newest = 0;
  #noted = 0;
  readonly #loop: Loop;

  constructor(needs: AnswerNeeds) {
    this.#needs = needs;
    const { clock, log } = needs;
    const turn = () => this.#note();
    this.#loop = new Loop({ clock, log, name: 'note answered inbound messages', everyMs: noteEveryMs, turn });
  }

  came({ id }: RecordInbound): void {
    this.#open.add(id);
    this.#newest = Math.max(this.#newest, id);
  }

  /**
   * It was answered, or its link ended before: `isWritten` says which. One that was not stored comes again as a new
   * message.
   */
  answered(inbound: RecordInbound, { isKept, isWritten }: { isKept: boolean; isWritten: boolean }): void {
    this.#open.delete(inbound.id);
    if (isKept && !isWritten) this.lost(inbound);
  }

  /** The carrier may not have the answer: it may send the message again. */
  lost(inbound: RecordInbound): void {
    void this.#needs.journal.append<'expect-repeat'>({ kind: 'expect-repeat', at: this.#needs.clock.now(), inbound });
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#note();
  }

  /** Writes nothing while nothing comes. */
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

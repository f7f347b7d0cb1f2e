import type { Answer, Ask, Session } from '@morsel/smpp';

/* Receipts and inbound messages: sent when they are due, and repeated until a client acknowledges them. */

export interface Delivery {
  /** The client that gets the delivery; undefined for any client. */
  readonly system_id: string | undefined;
  /** Makes the PDU. Called only when an attempt is made, so that a waiting delivery needs little memory. */
  build(session: Session): Ask;
  /** Called after each attempt; `attempt` counts from 1. */
  sent(attempt: number, session: Session): void;
  /** Called with the status of the client's answer; undefined if no answer came. */
  answered(command_status: number | undefined, attempt: number): void;
}

/** `head` is the index of the first waiting item: removing items from a long array would be slow. */
interface Queue {
  items: Waiting[];
  head: number;
}

interface Waiting {
  readonly delivery: Delivery;
  attempt: number;
}

const compactAt = 4096;

/**
 * A delivery stays in the queue until a client acknowledges it with status 0, even over reconnects. The queue has no
 * limit: the simulator checks `size` and refuses submit_sm.
 */
export class Deliveries {
  readonly #retryMs: number;
  /** The timers of the deliveries that are not due yet. */
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Queues of due deliveries, by system_id. */
  readonly #due = new Map<string | undefined, Queue>();
  readonly #receivers = new Set<Session>();
  #size = 0;
  #isClosed = false;

  constructor(retryMs: number) {
    this.#retryMs = retryMs;
  }

  /** Deliveries that are not acknowledged yet. */
  get size(): number {
    return this.#size;
  }

  add(delivery: Delivery, afterMs: number): void {
    this.#size += 1;
    this.#put({ delivery, attempt: 0 }, afterMs);
  }

  attach(session: Session): void {
    this.#receivers.add(session);
    this.pump();
  }

  detach(session: Session): void {
    this.#receivers.delete(session);
  }

  /** Sends due deliveries as long as the windows of the sessions have room. */
  pump(): void {
    for (const [system_id, queue] of this.#due) {
      while (queue.head < queue.items.length) {
        const waiting = queue.items[queue.head];
        const session = this.#receiverOf(system_id);
        if (waiting === undefined || session === undefined) break;
        queue.head += 1;
        this.#send(session, waiting);
      }
      if (queue.head === queue.items.length) this.#due.delete(system_id);
      else if (queue.head >= compactAt) compact(queue);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#due.clear();
    this.#receivers.clear();
  }

  /** The next session with room. Sessions take turns. */
  #receiverOf(system_id: string | undefined): Session | undefined {
    for (const session of this.#receivers) {
      if (session.room <= 0 || (system_id !== undefined && session.peer.system_id !== system_id)) continue;
      this.#receivers.delete(session);
      this.#receivers.add(session);
      return session;
    }
    return undefined;
  }

  #send(session: Session, waiting: Waiting): void {
    waiting.attempt += 1;
    const answer = session.request(waiting.delivery.build(session));
    waiting.delivery.sent(waiting.attempt, session);
    answer.then(
      (settled) => this.#settle(waiting, settled),
      // The PDU cannot be encoded, because an address is longer than the standard allows. The simulator reads addresses
      // that are too long, but never writes them.
      () => void (this.#size -= 1),
    );
  }

  #settle(waiting: Waiting, answer: Answer): void {
    if (this.#isClosed) return;
    const command_status = answer.kind === 'answered' ? answer.pdu.command_status : undefined;
    waiting.delivery.answered(command_status, waiting.attempt);
    if (command_status === 0) this.#size -= 1;
    else this.#put(waiting, this.#retryMs);
    this.pump();
  }

  #put(waiting: Waiting, afterMs: number): void {
    if (this.#isClosed) return;
    if (afterMs <= 0) {
      this.#makeDue(waiting);
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#makeDue(waiting);
    }, afterMs);
    this.#timers.add(timer);
  }

  #makeDue(waiting: Waiting): void {
    const { system_id } = waiting.delivery;
    const queue = this.#due.get(system_id);
    if (queue === undefined) this.#due.set(system_id, { items: [waiting], head: 0 });
    else queue.items.push(waiting);
    this.pump();
  }
}

function compact(queue: Queue): void {
  queue.items = queue.items.slice(queue.head);
  queue.head = 0;
}

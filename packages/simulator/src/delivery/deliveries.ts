import type { Answer, Ask, Session } from '@morsel/smpp';

/*
 * Queues deliveries, sends them when they are due, and repeats them until they are acknowledged.
 */

/** A receipt or inbound message, which is sent again until the client acknowledges it. */
export interface Delivery {
  /** Only sessions of this system_id get it. Undefined: any session. */
  readonly system_id: string | undefined;
  /** The session to avoid, if there is another one. */
  readonly avoid?: Session;
  /** Builds the PDU. Called for each attempt, so that a waiting delivery needs little memory. */
  build(session: Session): Ask;
  /** The PDU was written to a session. `attempt` is 1 for the first time. */
  sent(attempt: number, session: Session): void;
  /** The client's answer; undefined if there was none. */
  answered(command_status: number | undefined, attempt: number): void;
}

export interface DeliveriesOptions {
  readonly retryMs: number;
  readonly now: () => number;
}

/** The first items are skipped by `head` instead of removed one by one, because a backlog can be long. */
interface Queue {
  items: Waiting[];
  head: number;
}

interface Waiting {
  readonly delivery: Delivery;
  attempt: number;
}

/** Deliveries due in the same slot are sent together, so one timer serves all. They are late by at most one slot. */
const slotMs = 10;
const compactAt = 4096;

/**
 * The queue of receipts and inbound messages for the clients. A delivery stays until a client acknowledges it with
 * status 0, even if clients disconnect and return. The owner limits the queue: it looks at `size` and refuses
 * submit_sm.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Deliveries that are not yet due, by time slot. */
  readonly #slots = new Map<number, Waiting[]>();
  /** Deliveries that are due, in order, by system_id. */
  readonly #due = new Map<string | undefined, Queue>();
  readonly #receivers = new Set<Session>();
  #doneSlot: number;
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  #isClosed = false;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#doneSlot = this.#slotOf(0);
  }

  /** How many deliveries are not acknowledged. */
  get size(): number {
    return this.#size;
  }

  add(delivery: Delivery, afterMs: number): void {
    this.#size += 1;
    this.#put({ delivery, attempt: 0 }, afterMs);
  }

  /** Adds a session that takes deliver_sm. */
  attach(session: Session): void {
    this.#receivers.add(session);
    this.pump();
  }

  detach(session: Session): void {
    this.#receivers.delete(session);
  }

  /** Sends due deliveries while the sessions have room. */
  pump(): void {
    for (const [system_id, queue] of this.#due) {
      while (queue.head < queue.items.length) {
        const waiting = queue.items[queue.head];
        const session = this.#receiverOf(system_id, waiting?.delivery.avoid);
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
    clearTimeout(this.#timer);
    this.#slots.clear();
    this.#due.clear();
    this.#receivers.clear();
  }

  /** The next session for a delivery. Sessions take turns. */
  #receiverOf(system_id: string | undefined, avoid: Session | undefined): Session | undefined {
    let found: Session | undefined;
    for (const session of this.#receivers) {
      if (session.room <= 0 || (system_id !== undefined && session.peer.system_id !== system_id)) continue;
      found ??= session;
      if (session === avoid) continue;
      found = session;
      break;
    }
    if (found === undefined) return undefined;
    this.#receivers.delete(found);
    this.#receivers.add(found);
    return found;
  }

  #send(session: Session, waiting: Waiting): void {
    waiting.attempt += 1;
    const answer = session.request(waiting.delivery.build(session));
    waiting.delivery.sent(waiting.attempt, session);
    answer.then(
      (settled) => this.#settle(waiting, settled),
      // The PDU cannot be encoded: its address is longer than the standard allows. We read such addresses, but never
      // write them.
      () => void (this.#size -= 1),
    );
  }

  #settle(waiting: Waiting, answer: Answer): void {
    if (this.#isClosed) return;
    const command_status = answer.kind === 'answered' ? answer.pdu.command_status : undefined;
    waiting.delivery.answered(command_status, waiting.attempt);
    if (command_status === 0) this.#size -= 1;
    else this.#put(waiting, this.#options.retryMs);
    this.pump();
  }

  #put(waiting: Waiting, afterMs: number): void {
    if (this.#isClosed) return;
    if (afterMs <= 0) {
      this.#makeDue(waiting);
      this.pump();
      return;
    }
    // After an idle time, skip the slots that have passed since.
    if (this.#slots.size === 0) this.#doneSlot = this.#slotOf(0);
    const slot = Math.max(this.#slotOf(afterMs), this.#doneSlot + 1);
    const waitings = this.#slots.get(slot);
    if (waitings === undefined) this.#slots.set(slot, [waiting]);
    else waitings.push(waiting);
    this.#timer ??= setTimeout(() => this.#turn(), slotMs);
  }

  #makeDue(waiting: Waiting): void {
    const { system_id } = waiting.delivery;
    const queue = this.#due.get(system_id);
    if (queue === undefined) this.#due.set(system_id, { items: [waiting], head: 0 });
    else queue.items.push(waiting);
  }

  /** Marks as due every delivery whose time slot is over. */
  #turn(): void {
    const last = this.#slotOf(0);
    for (; this.#doneSlot < last && this.#slots.size > 0; this.#doneSlot++) {
      const slot = this.#slots.get(this.#doneSlot + 1);
      if (slot === undefined) continue;
      this.#slots.delete(this.#doneSlot + 1);
      for (const waiting of slot) this.#makeDue(waiting);
    }
    this.#doneSlot = Math.max(this.#doneSlot, last);
    this.#timer = this.#slots.size > 0 ? setTimeout(() => this.#turn(), slotMs) : undefined;
    this.pump();
  }

  #slotOf(afterMs: number): number {
    return Math.floor((this.#options.now() + afterMs) / slotMs);
  }
}

function compact(queue: Queue): void {
  queue.items = queue.items.slice(queue.head);
  queue.head = 0;
}

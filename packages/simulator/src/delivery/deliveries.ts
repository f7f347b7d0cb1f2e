import type { Answer, Ask, Session } from '@morsel/smpp';

/** Something to send to a client until it acknowledges it. */
export interface Delivery {
  /** Whose sessions get it; undefined: anyone's. */
  readonly system_id: string | undefined;
  /** Not on this one, if there is another. */
  readonly avoid?: Session;
  /** Made anew for every try, so that little is kept while it waits. */
  build(session: Session): Ask;
  /** Written to a session, for the `attempt`-th time. */
  sent(attempt: number, session: Session): void;
  /** The client's answer; undefined when there was none. */
  answered(command_status: number | undefined, attempt: number): void;
}

export interface DeliveriesOptions {
  readonly retryMs: number;
  readonly now: () => number;
}

/** Taken from the head, which is moved up and not shifted: a backlog can be long. */
interface Queue {
  items: Waiting[];
  head: number;
}

interface Waiting {
  readonly delivery: Delivery;
  attempt: number;
}

/** What is due within one of these is sent together: one timer for all, and receipts late by no more than this. */
const slotMs = 10;
const compactAt = 4096;

/**
 * Receipts and inbound messages on their way to the clients. Kept until they are acknowledged with status 0, however often
 * the client goes and comes back; `size` is for the owner, who takes no more submit_sm when there are too many.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Not yet due, by slot of time. */
  readonly #slots = new Map<number, Waiting[]>();
  /** Due, in order, by system_id. */
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

  /** Deliveries without an acknowledgement. */
  get size(): number {
    return this.#size;
  }

  add(delivery: Delivery, afterMs: number): void {
    this.#size += 1;
    this.#put({ delivery, attempt: 0 }, afterMs);
  }

  /** A session that takes deliver_sm. */
  attach(session: Session): void {
    this.#receivers.add(session);
    this.pump();
  }

  detach(session: Session): void {
    this.#receivers.delete(session);
  }

  /** Sends what is due, as far as the sessions have room. */
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

  /** In turn, so that two sessions of a client share the work. */
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
      // It cannot be written: an address was longer than the standard's, which we read and never write.
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
    // After a rest the slots of the time between are not gone through.
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

  /** Moves every slot whose time has come. */
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

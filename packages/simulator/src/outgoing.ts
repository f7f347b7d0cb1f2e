import { performance } from 'node:perf_hooks';
import { type Session, statuses } from '@morsel/smpp';
import { Deliveries } from './deliveries.ts';
import type { Journal } from './journal.ts';
import { type IdForm, spell } from './delivery/ids.ts';
import { type InboundPdu, type InboundPlan, replyPdus } from './inbound.ts';
import type { Submitted } from './addresses.ts';
import { receiptPdu, statOf } from './receipts.ts';
import type { ReceiptPlan } from './plans.ts';

/*
 * Sends the receipts, the replies of magic receivers, and other inbound messages of the simulator.
 */

export interface OutgoingOptions {
  readonly journal: Journal;
  /** Returns the number of a session for the journal. */
  readonly sessionNumber: (session: Session) => number;
  readonly receiptDelayMs: number;
  readonly retryMs: number;
  readonly messageIds: IdForm;
  readonly receiptIds?: IdForm;
}

/**
 * A message that a client submitted on `session`. The receipts of the message are sent to the sessions with the same
 * system_id.
 */
export interface Sent extends Submitted {
  readonly system_id: string;
  readonly session: Session;
}

const ok = statuses.ESME_ROK;
/**
 * The bits of registered_delivery that request receipts: 0 never, 1 always, 2 on failure, 3 on success (3.4 section
 * 5.2.17, 5.0 section 4.7.21).
 */
const registeredMask = 0x03;
const versionWithoutTlvs = 0x33;
/** The offset from a message's id to an id that no message will have for years. */
const strangerOffset = 1e15;

/** Sends receipts and inbound messages to clients, counts them, and records them in the journal. */
export class Outgoing {
  readonly deliveries: Deliveries;
  readonly counters = { receiptsSent: 0, receiptsAcknowledged: 0, inboundSent: 0, inboundAcknowledged: 0 };
  readonly #options: OutgoingOptions;
  #nextReference = 0;

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.deliveries = new Deliveries({ retryMs: options.retryMs, now: () => performance.now() });
  }

  /** Returns the next reference number for a long message. */
  nextReference(): number {
    return this.#nextReference++;
  }

  /** Queues the planned receipts that registered_delivery requests. */
  receipts(message: Sent, plans: readonly ReceiptPlan[], registered_delivery: number): void {
    const registered = registered_delivery & registeredMask;
    plans.forEach((plan, index) => {
      const isWanted =
        plan.state === 'DELIVERED' ? registered === 1 || registered === 3 : registered === 1 || registered === 2;
      if (isWanted) this.#receipt(message, plan, plan.afterMs ?? (index + 1) * this.#options.receiptDelayMs);
    });
  }

  #receipt(message: Sent, plan: ReceiptPlan, afterMs: number): void {
    const { messageIds, receiptIds = messageIds } = this.#options;
    const about = plan.isStranger === true ? { ...message, id: message.id + strangerOffset } : message;
    const id = spell(about.id, plan.id ?? receiptIds);
    const [source, destination] = [message.destination.addr, message.source.addr];
    const serial = plan.isStranger === true ? null : message.serial;
    const state = plan.tlvState ?? plan.state;
    const entry = { serial, message_id: id, stat: statOf(plan), state, source, destination };
    this.deliveries.add(
      {
        system_id: message.system_id,
        ...(plan.elsewhere === true && { avoid: message.session }),
        build: (session) =>
          receiptPdu(about, { plan, id, doneAtMs: Date.now(), hasTlvs: session.version !== versionWithoutTlvs }),
        sent: (attempt, to) => {
          this.counters.receiptsSent += 1;
          const session = this.#options.sessionNumber(to);
          this.#options.journal.write({ time: Date.now(), event: 'receipt', session, ...entry, attempt });
        },
        answered: (command_status, attempt) => {
          if (command_status === ok) this.counters.receiptsAcknowledged += 1;
          const answered = command_status ?? null;
          this.#options.journal.write({
            time: Date.now(),
            event: 'receipt_answer',
            ...entry,
            attempt,
            command_status: answered,
          });
        },
      },
      afterMs,
    );
  }

  /** Queues the reply of a magic receiver. */
  reply(message: Sent, plan: InboundPlan): void {
    const { system_id } = message;
    const afterMs = 2 * this.#options.receiptDelayMs;
    for (const pdu of replyPdus(message, plan, this.nextReference())) {
      this.inbound(pdu, { system_id, afterMs, resolve: () => undefined });
    }
  }

  /** Queues an inbound message. Calls `resolve` when a client has acknowledged the message. */
  inbound(
    pdu: InboundPdu,
    given: { readonly system_id: string | undefined; readonly afterMs: number; readonly resolve: () => void },
  ): void {
    const { system_id, afterMs, resolve } = given;
    const [source, destination] = [pdu.source_addr, pdu.destination_addr];
    const entry = { serial: null, message_id: null, stat: null, state: null, source, destination };
    this.deliveries.add(
      {
        system_id,
        build: () => pdu,
        sent: (attempt, to) => {
          this.counters.inboundSent += 1;
          const session = this.#options.sessionNumber(to);
          this.#options.journal.write({ time: Date.now(), event: 'inbound', session, ...entry, attempt });
        },
        answered: (command_status, attempt) => {
          const answered = command_status ?? null;
          this.#options.journal.write({
            time: Date.now(),
            event: 'inbound_answer',
            ...entry,
            attempt,
            command_status: answered,
          });
          if (command_status !== ok) return;
          this.counters.inboundAcknowledged += 1;
          resolve();
        },
      },
      afterMs,
    );
  }
}

import { type Ask, type Session, messageStateTable, statuses } from '@morsel/smpp';
import type { Submitted } from './addresses.ts';
import { Deliveries } from './deliveries.ts';
import { type Inbound, type InboundPdu, inboundPdus } from './inbound.ts';
import type { Journal } from './journal.ts';
import type { IdForm } from './options.ts';
import type { ReceiptPlan } from './plans.ts';
import { receiptPdu } from './receipts.ts';

/* Sends the receipts, the replies of receivers, and other inbound messages of the simulator. */

export interface OutgoingNeeds {
  readonly journal: Journal;
  /** Number of the session in the journal. */
  readonly sessionNumber: (session: Session) => number;
  readonly receiptDelayMs: number;
  readonly retryMs: number;
  readonly messageIds: IdForm;
  readonly receiptIds?: IdForm;
}

interface Item {
  readonly event: 'receipt' | 'inbound';
  /** The client that gets the item; undefined for any client. */
  readonly system_id: string | undefined;
  readonly afterMs: number;
  readonly entry: Pick<
    Extract<Parameters<Journal['write']>[0], { event: 'receipt' }>,
    'serial' | 'message_id' | 'stat' | 'state' | 'source' | 'destination'
  >;
  readonly build: (session: Session) => Ask;
  /** Called when a client has acknowledged the item. */
  readonly resolve?: () => void;
}

const ok = statuses.ESME_ROK;
/**
 * When a receipt is requested: 0 never, 1 always, 2 on failure, 3 on success (3.4 section 5.2.17, 5.0 section 4.7.21).
 */
const registeredMask = 0x03;
const versionWithoutTlvs = 0x33;

/** Sends and counts deliveries, and records them in the journal. */
export class Outgoing {
  readonly deliveries: Deliveries;
  readonly counters = { receiptsSent: 0, receiptsAcknowledged: 0, inboundSent: 0, inboundAcknowledged: 0 };
  readonly #needs: OutgoingNeeds;
  #nextReference = 0;

  constructor(needs: OutgoingNeeds) {
    this.#needs = needs;
    this.deliveries = new Deliveries(needs.retryMs);
  }

  /** Sends the planned receipts that registered_delivery requests. */
  receipts(message: Submitted, plans: readonly ReceiptPlan[], registered_delivery: number): void {
    const registered = registered_delivery & registeredMask;
    plans.forEach((plan, index) => {
      const isWanted =
        plan.state === 'DELIVERED' ? registered === 1 || registered === 3 : registered === 1 || registered === 2;
      if (isWanted) this.#receipt(message, plan, plan.afterMs ?? (index + 1) * this.#needs.receiptDelayMs);
    });
  }

  #receipt(message: Submitted, plan: ReceiptPlan, afterMs: number): void {
    const { messageIds, receiptIds = messageIds } = this.#needs;
    const id = plan.spell?.(message.id) ?? spell(message.id, receiptIds);
    const { state } = plan;
    const { stat } = messageStateTable[state];
    const [source, destination] = [message.destination.addr, message.source.addr];
    this.#queue({
      event: 'receipt',
      system_id: message.system_id,
      afterMs,
      entry: { serial: message.serial, message_id: id, stat, state, source, destination },
      build: ({ version }) =>
        receiptPdu(plan, { message, id, doneAtMs: Date.now(), hasTlvs: version !== versionWithoutTlvs }),
    });
  }

  replies(message: Submitted, replies: readonly Inbound[]): void {
    const afterMs = 2 * this.#needs.receiptDelayMs;
    for (const reply of replies) {
      for (const pdu of this.pdusOf(reply, message)) this.inbound(pdu, { system_id: message.system_id, afterMs });
    }
  }

  /**
   * The PDUs of an inbound message, by default a reply to `newest`. Throws RangeError if the message cannot be encoded.
   */
  pdusOf(inbound: Inbound, newest: Submitted | undefined): InboundPdu[] {
    return inboundPdus(inbound, { newest, reference: this.#nextReference++ });
  }

  inbound(pdu: InboundPdu, given: Pick<Item, 'system_id' | 'afterMs' | 'resolve'>): void {
    const { source_addr: source, destination_addr: destination } = pdu;
    const entry = { serial: null, message_id: null, stat: null, state: null, source, destination };
    this.#queue({ event: 'inbound', ...given, entry, build: () => pdu });
  }

  #queue({ event, system_id, afterMs, entry, build, resolve }: Item): void {
    const { journal, sessionNumber } = this.#needs;
    const [sent, acknowledged, answered] = (
      {
        receipt: ['receiptsSent', 'receiptsAcknowledged', 'receipt_answer'],
        inbound: ['inboundSent', 'inboundAcknowledged', 'inbound_answer'],
      } as const
    )[event];
    const delivery = {
      system_id,
      build,
      sent: (attempt: number, to: Session) => {
        this.counters[sent] += 1;
        journal.write({ time: Date.now(), event, session: sessionNumber(to), ...entry, attempt });
      },
      answered: (command_status: number | undefined, attempt: number) => {
        const status = command_status ?? null;
        journal.write({ time: Date.now(), event: answered, ...entry, attempt, command_status: status });
        if (command_status !== ok) return;
        this.counters[acknowledged] += 1;
        resolve?.();
      },
    };
    this.deliveries.add(delivery, afterMs);
  }
}

export function spell(id: number, form: IdForm): string {
  return form === 'hex' ? id.toString(16) : String(id);
}

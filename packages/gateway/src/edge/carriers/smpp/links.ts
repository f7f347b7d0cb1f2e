import { statuses, type PduOf, type Respond } from '@morsel/smpp';
import type { CarrierOf } from '../../../core/routing/carrier.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type {
  AnswerDelivery,
  CarrierLink,
  Delivery,
  DeliveryHandler,
  LinkHandlers,
  LinkOpenerOf,
  LinkTools,
  TestStep,
} from '../../../flow/routing/carrier-link.ts';
import { bindLink } from './bind.ts';
import { parseDelivery } from './delivery.ts';
import { DialectLooks } from './dialect.ts';
import { Link } from './link.ts';
import type { LinkNeeds } from './link-needs.ts';
import { testBinds } from './test-binds.ts';
import { keptOctets, unreadableDelivery } from './unreadable.ts';
import { octetsIn } from './user-data.ts';

/* Opens links to carriers over SMPP for `flow/`, and reads the carriers' receipts and inbound messages. */

/** The time limit of `carrier test`; the command line waits for two minutes. */
const testMaxMs = 60 * secondMs;

export class SmppLinks implements LinkOpenerOf<'smpp'> {
  readonly #needs: LinkTools;
  readonly #bind: typeof bindLink;
  readonly #looks = new DialectLooks();

  /** A simulation binds to carriers without sockets. */
  constructor(needs: LinkTools, bind = bindLink) {
    this.#needs = needs;
    this.#bind = bind;
  }

  open(carrier: () => CarrierOf<'smpp'>, number: number, handlers: LinkHandlers): CarrierLink {
    const { onDelivery, onRoom, onLateAnswer } = handlers;
    const requestHandlers = this.#requestHandlers(carrier, onDelivery);
    const needs = { ...this.#needs, ...requestHandlers, onRoom, onLateAnswer, bind: this.#bind };
    return new Link(carrier(), number, needs);
  }

  test(
    carrier: CarrierOf<'smpp'>,
    { onDelivery, bound }: Parameters<LinkOpenerOf<'smpp'>['test']>[1],
  ): Promise<readonly TestStep[]> {
    const { onRequest, onUnreadable } = this.#requestHandlers(() => carrier, onDelivery);
    return testBinds(carrier, {
      bound,
      clock: this.#needs.clock,
      onRequest,
      onUnreadable: (_fault, respond, bytes) => onUnreadable(respond, bytes),
      signal: AbortSignal.timeout(testMaxMs),
    });
  }

  #requestHandlers(
    carrier: () => CarrierOf<'smpp'>,
    onDelivery: DeliveryHandler,
  ): Pick<LinkNeeds, 'onRequest' | 'onUnreadable'> {
    return {
      onRequest: (pdu, respond, bytes) => {
        const isDelivery = pdu.command === 'deliver_sm' || pdu.command === 'data_sm';
        if (isDelivery) onDelivery(this.#read(carrier(), pdu, bytes), answerBy(respond));
        else respond(statuses.ESME_RINVCMDID);
      },
      onUnreadable: (respond, bytes) => onDelivery(unreadableDelivery(bytes), answerBy(respond)),
    };
  }

  /**
   * Parses a delivery. An operator may have to read a receipt with an unknown state, which gets the octets of its PDU, or
   * one that only its text marks, which gets those of the text.
   */
  #read(carrier: CarrierOf<'smpp'>, pdu: PduOf<'deliver_sm' | 'data_sm'>, bytes: Uint8Array): Delivery {
    const delivery = this.#looks.add(carrier.id, pdu, parseDelivery(pdu, carrier.settings.profile));
    if (delivery.kind !== 'receipt') return delivery;
    const octets = delivery.state === null ? bytes : delivery.isMarked ? undefined : octetsIn(pdu);
    return octets ? { ...delivery, octets: keptOctets(octets) } : delivery;
  }
}

/** If a delivery was not stored, the command_status asks the carrier to send it again (D5, O1). */
function answerBy(respond: Respond): AnswerDelivery {
  return (isKept, settle) => respond(isKept ? statuses.ESME_ROK : statuses.ESME_RX_T_APPN, {}, settle);
}

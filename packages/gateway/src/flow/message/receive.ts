/* Stores receipts and inbound messages from carriers. */

import type { Carrier } from '../../core/routing/carrier.ts';
import { carrierIdKey, keptCarrierId } from '../../core/message/carrier-id.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { CommandOf } from '../../state/commands.ts';
import type { InboundAnswers } from './inbound-answers.ts';
import type { Tools } from '../ports.ts';

/** A delivery from a carrier, with normalised addresses. */
export type Delivery = ReceiptDelivery | InboundDelivery;

interface ReceiptDelivery extends Omit<CommandOf<'receipt'>, 'at' | 'carrier' | 'carrierId' | 'carrierIdKey'> {
  readonly id: string;
}

export type InboundDelivery = Omit<CommandOf<'inbound'>, 'at' | 'id' | 'carrier'>;

/**
 * Acknowledges a delivery if `isKept`; otherwise the carrier sends it again. Returns whether the response was written.
 * `settle` is then called once: `isRead` is false if the link broke before the carrier surely read the response.
 */
export type AnswerDelivery = (isKept: boolean, settle?: (isRead: boolean) => void) => boolean;

interface ReceiveNeeds extends Pick<Tools, 'log' | 'clock' | 'journal'> {
  readonly nextId: () => MessageId;
  readonly answers: Pick<InboundAnswers, 'came' | 'answered'>;
}

/** Stores a delivery, and acknowledges it only when it is on disk (D5, O1). A repeated receipt changes nothing (D4). */
export async function receive(
  needs: ReceiveNeeds,
  { carrier, delivery }: { carrier: Carrier; delivery: Delivery },
  respond: AnswerDelivery,
): Promise<void> {
  const command = commandOf(needs, carrier, delivery);
  const inbound = command.kind === 'inbound' ? command : undefined;
  if (inbound) needs.answers.came(inbound);
  const kept = await needs.journal.append<'inbound' | 'receipt'>(command);
  const settle = (isRead: boolean) => inbound && needs.answers.answered(inbound, { isKept: kept.ok, isRead });
  const isFollowed = inbound !== undefined && kept.ok && !inbound.concatenation;
  const isWritten = respond(kept.ok, isFollowed ? settle : undefined);
  if (!isWritten || !isFollowed) settle(isWritten);
  if (needs.log?.isLevelEnabled?.('debug')) {
    const { kind } = delivery;
    // If only the text looks like a receipt, a person may have written it, and it must not be logged.
    const said =
      kind === 'receipt' && !delivery.isText
        ? { carrierId: delivery.id, state: delivery.state, errorCode: delivery.errorCode }
        : {};
    needs.log.debug?.({ carrier: carrier.name, kind, ...said, isKept: kept.ok }, 'delivery from a carrier');
  }
}

function commandOf(
  needs: ReceiveNeeds,
  carrier: Carrier,
  delivery: Delivery,
): CommandOf<'inbound'> | CommandOf<'receipt'> {
  const at = needs.clock.now();
  if (delivery.kind === 'receipt') {
    const { id, ...receipt } = delivery;
    return { ...receipt, at, carrier: carrier.id, carrierId: keptCarrierId(id), carrierIdKey: carrierIdKey(id) };
  }
  return { ...delivery, at, id: needs.nextId(), carrier: carrier.id };
}

/* Stores what carriers say: their answers, receipts and inbound messages. */

import type { Carrier } from '../../core/routing/carrier.ts';
import { carrierIdKey } from '../../core/message/carrier-id.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Answer } from '../../core/message/outcome.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { sleep } from '../../runtime/clock.ts';
import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { CommandOf } from '../../state/commands.ts';
import type { Recorded } from '../../state/decide/message/outcome.ts';
import type { InboundAnswers } from './inbound-answers.ts';
import type { Tools } from '../ports.ts';
import type { AnswerDelivery, Delivery, OutgoingPart } from '../routing/carrier-link.ts';

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
      kind === 'receipt' && delivery.isMarked
        ? { carrierId: delivery.carrierIds[0] ?? '', state: delivery.state, errorCode: delivery.code }
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
  if (delivery.kind === 'inbound') return { ...delivery, at, id: needs.nextId(), carrier: carrier.id };
  const { carrierIds, state, code: errorCode, sender, receiver, isMarked, octets, dialect } = delivery;
  const carrierId = (carrierIds[0] ?? '').slice(0, kindOf(carrier.settings).idMax);
  return {
    kind: 'receipt',
    at,
    carrier: carrier.id,
    carrierId,
    carrierIdKey: carrierIdKey(carrierId),
    state,
    errorCode,
    sender,
    receiver,
    ...(octets && { octets }),
    ...(dialect && { dialect }),
    ...(!isMarked && { isText: true }),
  };
}

/** An outcome that the store refused is written again after this pause, until it succeeds. */
const recordAgainMs = secondMs;

interface RecordNeeds extends Pick<Tools, 'clock' | 'journal'> {
  readonly carrier: number;
  readonly idMax: number;
  readonly lease: number;
  /** True once the process ends. Outcomes that the store refuses then stay in doubt. */
  readonly isOver: () => boolean;
}

/** Stores what an answer means for its part. Returns when the part is due again, if it is. */
export async function recordAnswer(needs: RecordNeeds, part: OutgoingPart, answer: Answer): Promise<Recorded> {
  const { journal, clock, isOver } = needs;
  const command = outcomeCommand(needs, part, answer);
  for (;;) {
    const recorded = await journal.append<'outcome'>(command);
    if (recorded.ok) return recorded.value;
    if (recorded.error.code !== 'unavailable' || isOver()) return { due: null };
    await sleep(clock, recordAgainMs);
  }
}

function outcomeCommand({ clock, lease, carrier, idMax }: RecordNeeds, part: OutgoingPart, answer: Answer) {
  const [id] = answer.carrierIds;
  const carrierId = id === undefined ? null : id.slice(0, idMax);
  const cost = answer.cost ?? part.cost;
  const command: CommandOf<'outcome'> = {
    kind: 'outcome',
    at: clock.now(),
    message: part.message,
    part: part.number,
    attempt: part.attempt,
    carrier,
    lease,
    outcome: answer.outcome,
    scope: answer.scope,
    code: answer.code,
    carrierId,
    carrierIdKey: carrierId === null ? null : carrierIdKey(carrierId),
  };
  return cost ? { ...command, cost } : command;
}

/* Stores what carriers say: their answers, receipts and inbound messages. */

import type { Carrier } from '../../core/routing/carrier.ts';
import { carrierIdKey } from '../../core/message/carrier-id.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Answer } from '../../core/message/outcome.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { CommandOf } from '../../state/commands.ts';
import type { Recorded } from '../../state/decide/message/outcome.ts';
import type { Journal } from '../../store/journal.ts';
import type { InboundAnswers } from './inbound-answers.ts';
import type { DetailLog, Tools } from '../ports.ts';
import type { AnswerDelivery, Delivery, OutgoingPart } from '../routing/carrier-link.ts';

interface ReceiveNeeds extends Pick<Tools, 'log' | 'clock'> {
  readonly journal: Pick<Journal, 'appendThen'>;
  readonly nextId: () => MessageId;
  readonly answers: Pick<InboundAnswers, 'came' | 'answered'>;
}

/** Stores a delivery, and acknowledges it only when it is on disk (D5, O1). A repeated receipt changes nothing (D4). */
export function receive(
  needs: ReceiveNeeds,
  { carrier, delivery }: { carrier: Carrier; delivery: Delivery },
  respond: AnswerDelivery,
): void {
  const { answers, journal, log } = needs;
  const command = commandOf(needs, carrier, delivery);
  if (command.kind === 'inbound') answers.came(command);
  journal.appendThen<'inbound' | 'receipt'>(command, ({ ok: isKept }) => {
    if (command.kind === 'receipt') respond(isKept);
    else answerInbound(answers, command, { isKept, respond });
    if (log?.isLevelEnabled?.('debug')) describe(log, delivery, { carrier: carrier.name, isKept });
  });
}

function answerInbound(
  answers: ReceiveNeeds['answers'],
  inbound: CommandOf<'inbound'>,
  { isKept, respond }: { readonly isKept: boolean; readonly respond: AnswerDelivery },
): void {
  const settle = (isRead: boolean) => answers.answered(inbound, { isKept, isRead });
  const isFollowed = isKept && !inbound.concatenation;
  const isWritten = respond(isKept, isFollowed ? settle : undefined);
  if (!isWritten || !isFollowed) settle(isWritten);
}

function describe(
  log: DetailLog,
  delivery: Delivery,
  { carrier, isKept }: { readonly carrier: string; readonly isKept: boolean },
): void {
  const { kind } = delivery;
  // If only the text looks like a receipt, a person may have written it, and it must not be logged.
  const said =
    kind === 'receipt' && delivery.isMarked
      ? { carrierId: delivery.carrierIds[0] ?? '', state: delivery.state, errorCode: delivery.code }
      : {};
  log.debug?.({ carrier, kind, ...said, isKept }, 'delivery from a carrier');
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

interface RecordNeeds extends Pick<Tools, 'clock'> {
  readonly journal: Pick<Journal, 'appendThen'>;
  readonly carrier: number;
  readonly idMax: number;
  readonly lease: number;
  /** True once the process ends. Outcomes that the store refuses then stay in doubt. */
  readonly isOver: () => boolean;
}

/** Stores what an answer means for its part. `done` gets when the part is due again, if it is. */
export function recordAnswer(
  needs: RecordNeeds,
  { part, answer }: { readonly part: OutgoingPart; readonly answer: Answer },
  done: (recorded: Recorded) => void,
): void {
  const { journal, clock, isOver } = needs;
  const command = outcomeCommand(needs, part, answer);
  const append = () =>
    journal.appendThen<'outcome'>(command, (recorded) => {
      if (recorded.ok) done(recorded.value);
      else if (recorded.error.code !== 'unavailable' || isOver()) done({ due: null });
      else clock.setTimer(append, recordAgainMs);
    });
  append();
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

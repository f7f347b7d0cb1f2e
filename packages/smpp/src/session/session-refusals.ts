import type { RequestName } from '../codec/commands.ts';
import { commandName, isRequestName, isResponseId, responseName } from '../codec/commands.ts';
import type { Encodable, Fault } from '../codec/pdu.ts';
import type { BindName, NumberedRequest, Phase, Role, SessionState } from './session-state.ts';
import { statuses } from '../codec/statuses.ts';

/*
 * The requests that a session refuses by itself: those that its state does not allow, and those that cannot be read.
 */

const invalidBindStatus = statuses.ESME_RINVBNDSTS;
const alreadyBound = statuses.ESME_RALYBND;
const systemError = statuses.ESME_RSYSERR;

const sending: readonly Phase[] = ['bound_tx', 'bound_trx'];
// The standard allows no receipts on a transmitter, but a carrier that sends one there would lose it if we refused it.
// Receipts are accepted during an unbind, too.
const delivering: readonly Phase[] = ['bound_rx', 'bound_trx', 'bound_tx', 'unbinding'];

/** The phases in which each request of the peer reaches the handler (3.4 section 2.3, 5.0 section 2.4). */
const allowed: Record<Role, Partial<Record<RequestName, readonly Phase[]>>> = {
  server: {
    submit_sm: sending,
    submit_multi: sending,
    data_sm: sending,
    query_sm: sending,
    cancel_sm: sending,
    replace_sm: sending,
    broadcast_sm: sending,
    query_broadcast_sm: sending,
    cancel_broadcast_sm: sending,
  },
  client: { deliver_sm: delivering, data_sm: delivering },
};

/** The status that refuses a request because of its command, a bind included. Undefined if it is allowed now. */
export function refusalOf<T>(state: SessionState<T>, command: RequestName): number | undefined {
  const { role, phase } = state;
  if (isBind(command)) {
    if (role === 'client') return invalidBindStatus;
    return phase === 'open' ? undefined : alreadyBound;
  }
  if (allowed[role][command]?.includes(phase) === true) return undefined;
  // We are unbinding, which is no mistake of the client. This status tells it to send the message again.
  return state.unbinding?.by === 'us' && role === 'server' ? systemError : invalidBindStatus;
}

/** The request of a PDU whose body cannot be read. */
export function unreadableRequest({ kind, command_id, sequence_number }: Fault): NumberedRequest | undefined {
  const command = kind === 'body' ? commandName(command_id) : undefined;
  return command !== undefined && isRequestName(command) ? { command, sequence_number } : undefined;
}

/**
 * The answer to a PDU that cannot be read. A response is never answered, or two peers could nack each other forever.
 */
export function answerToFault(fault: Fault): Encodable | undefined {
  const { command_id, command_status, sequence_number } = fault;
  if (isResponseId(command_id)) return undefined;
  // generic_nack is for errors in the header. An error in the body gets the response of its command (3.4 section
  // 4.3.1).
  const request = unreadableRequest(fault);
  if (request !== undefined) return responseTo(request, command_status);
  return { command: 'generic_nack', command_status, sequence_number };
}

/** A response with a status and no fields. */
export function responseTo({ command, sequence_number }: NumberedRequest, command_status: number): Encodable {
  return { command: responseName(command), command_status, sequence_number };
}

export function isBind(command: RequestName): command is BindName {
  return command === 'bind_transmitter' || command === 'bind_receiver' || command === 'bind_transceiver';
}

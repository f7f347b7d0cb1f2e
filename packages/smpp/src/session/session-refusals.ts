import { type RequestName, commandName, isRequestName, isResponseId, responseName } from '../codec/commands.ts';
import type { Encodable, Fault } from '../codec/pdu.ts';
import type { BindName, NumberedRequest, Phase, Role, SessionState } from './session-state.ts';
import { statuses } from '../codec/statuses.ts';

/*
 * Refuses requests without calling the handler: requests that the state of the session does not allow, and requests
 * that cannot be read.
 */

const invalidBindStatus = statuses.ESME_RINVBNDSTS;
const alreadyBound = statuses.ESME_RALYBND;
const systemError = statuses.ESME_RSYSERR;

const sending: readonly Phase[] = ['bound_tx', 'bound_trx'];
// We accept receipts on a transmitter session, although the standard does not allow them, because a refused receipt
// would be lost. We also accept receipts during an unbind.
const delivering: readonly Phase[] = ['bound_rx', 'bound_trx', 'bound_tx', 'unbinding'];

/**
 * For each request of the peer: the phases of the session in which the handler gets it (3.4 section 2.3, 5.0 section
 * 2.4).
 */
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

/** Returns the status to refuse a request or a bind with; undefined if the session allows the command now. */
export function refusalOf<T>(state: SessionState<T>, command: RequestName): number | undefined {
  const { role, phase } = state;
  if (isBind(command)) {
    if (role === 'client') return invalidBindStatus;
    return phase === 'open' ? undefined : alreadyBound;
  }
  if (allowed[role][command]?.includes(phase) === true) return undefined;
  // The server is unbinding, so the client made no mistake. ESME_RSYSERR tells the client to send the message again.
  return state.unbinding?.by === 'us' && role === 'server' ? systemError : invalidBindStatus;
}

/** Returns the command and the sequence number of a request whose body cannot be read; undefined for other faults. */
export function unreadableRequest({ kind, command_id, sequence_number }: Fault): NumberedRequest | undefined {
  const command = kind === 'body' ? commandName(command_id) : undefined;
  return command !== undefined && isRequestName(command) ? { command, sequence_number } : undefined;
}

/**
 * Returns the answer to a PDU that cannot be read; undefined for a response. If two peers sent generic_nack for each
 * other's responses, they would never stop.
 */
export function answerToFault(fault: Fault): Encodable | undefined {
  const { command_id, command_status, sequence_number } = fault;
  if (isResponseId(command_id)) return undefined;
  // We answer an error in the header with generic_nack, and an error in the body with the response of the command (3.4
  // section 4.3.1).
  const request = unreadableRequest(fault);
  if (request !== undefined) return responseTo(request, command_status);
  return { command: 'generic_nack', command_status, sequence_number };
}

/** Makes a response with a status and no fields. */
export function responseTo({ command, sequence_number }: NumberedRequest, command_status: number): Encodable {
  return { command: responseName(command), command_status, sequence_number };
}

export function isBind(command: RequestName): command is BindName {
  return command === 'bind_transmitter' || command === 'bind_receiver' || command === 'bind_transceiver';
}

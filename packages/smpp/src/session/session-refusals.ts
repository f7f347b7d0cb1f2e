import type { RequestName } from '../codec/commands.ts';
import { commandName, isRequestName, isResponseId, responseName } from '../codec/commands.ts';
import type { Encodable, Fault } from '../codec/pdu.ts';
import type { BindName, NumberedRequest, Phase, Role, SessionState } from './session-state.ts';
import { statuses } from '../codec/statuses.ts';

/** What a session answers by itself to requests that may not be made now, or cannot be read. */

const invalidBindStatus = statuses.ESME_RINVBNDSTS;
const alreadyBound = statuses.ESME_RALYBND;
const systemError = statuses.ESME_RSYSERR;

const sending: readonly Phase[] = ['bound_tx', 'bound_trx'];
// Receipts on a transmitter are against the standard, and lost for good if refused. While we unbind they still count.
const delivering: readonly Phase[] = ['bound_rx', 'bound_trx', 'bound_tx', 'unbinding'];

/** Which requests of the peer reach the handler, and when (3.4 section 2.3, 5.0 section 2.4). */
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

/** What a request is refused with whatever is in it, a bind included; undefined where it may be made. */
export function refusalOf<T>(state: SessionState<T>, command: RequestName): number | undefined {
  const { role, phase } = state;
  if (isBind(command)) {
    if (role === 'client') return invalidBindStatus;
    return phase === 'open' ? undefined : alreadyBound;
  }
  if (allowed[role][command]?.includes(phase) === true) return undefined;
  // To a client that we are about to leave it is our trouble and not its mistake: the message can be sent again.
  return state.unbinding?.by === 'us' && role === 'server' ? systemError : invalidBindStatus;
}

/** The request that stands in a header whose body cannot be read. */
export function unreadableRequest({ kind, command_id, sequence_number }: Fault): NumberedRequest | undefined {
  const command = kind === 'body' ? commandName(command_id) : undefined;
  return command !== undefined && isRequestName(command) ? { command, sequence_number } : undefined;
}

/** A response is never nacked, known or not: two peers would nack each other's nacks for ever. */
export function answerToFault(fault: Fault): Encodable | undefined {
  const { command_id, command_status, sequence_number } = fault;
  if (isResponseId(command_id)) return undefined;
  // generic_nack is for what is wrong with the header; a body has the answer of its command (3.4 section 4.3.1).
  const request = unreadableRequest(fault);
  if (request !== undefined) return responseTo(request, command_status);
  return { command: 'generic_nack', command_status, sequence_number };
}

/** The bare answer to a request: a status and no fields. */
export function responseTo({ command, sequence_number }: NumberedRequest, command_status: number): Encodable {
  return { command: responseName(command), command_status, sequence_number };
}

export function isBind(command: RequestName): command is BindName {
  return command === 'bind_transmitter' || command === 'bind_receiver' || command === 'bind_transceiver';
}

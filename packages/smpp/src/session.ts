import type { RequestName } from './commands.ts';
import { COMMANDS, commandName, isRequestName, isResponseId, responseName } from './commands.ts';
import type { Encodable, Fault, Pdu, PduOf } from './pdu.ts';
import type {
  BindName,
  BoundPhase,
  CloseReason,
  NumberedRequest,
  Phase,
  Role,
  SessionAction,
  SessionEvent,
  SessionState,
} from './session-state.ts';
import { isBound, move, versionOf } from './session-state.ts';
import { status } from './statuses.ts';
import { readTlv, writeTlv } from './tlvs.ts';

/**
 * One SMPP session as a state machine (3.4 chapter 2), for both ends of the connection. Pure: events and the time come
 * in, actions come out, and whoever owns the socket carries them out in their order. The state is changed in place.
 */

const ROK = status('ESME_ROK');
const RINVBNDSTS = status('ESME_RINVBNDSTS');
const RALYBND = status('ESME_RALYBND');
const RSYSERR = status('ESME_RSYSERR');

const ENQUIRES_UNANSWERED_MAX = 2;
// A peer that unbinds waits for our answer; requests in flight get a little time to be answered first.
const PEER_UNBIND_MS = 1000;

/**
 * To requests beyond peerWindowMax when they are read all the same: the peer sends them again later. RMSGQFUL belongs to
 * submit_sm (3.4 section 5.1.3); a receipt or message that an ESME cannot take now is RX_T_APPN.
 */
const SURPLUS: Record<Role, number> = { server: status('ESME_RMSGQFUL'), client: status('ESME_RX_T_APPN') };

const PHASE_OF_BIND: Record<BindName, BoundPhase> = {
  bind_receiver: 'bound_rx',
  bind_transmitter: 'bound_tx',
  bind_transceiver: 'bound_trx',
};

const SENDING: readonly Phase[] = ['bound_tx', 'bound_trx'];
// Receipts on a transmitter are against the standard, and lost for good if refused. While we unbind they still count.
const DELIVERING: readonly Phase[] = ['bound_rx', 'bound_trx', 'bound_tx', 'unbinding'];

/** Which requests of the peer reach the handler, and when (3.4 section 2.3, 5.0 section 2.4). */
const ALLOWED: Record<Role, Partial<Record<RequestName, readonly Phase[]>>> = {
  server: {
    submit_sm: SENDING,
    submit_multi: SENDING,
    data_sm: SENDING,
    query_sm: SENDING,
    cancel_sm: SENDING,
    replace_sm: SENDING,
    broadcast_sm: SENDING,
    query_broadcast_sm: SENDING,
    cancel_broadcast_sm: SENDING,
  },
  client: { deliver_sm: DELIVERING, data_sm: DELIVERING },
};

/** Changes the state by one event and says what to do, in order. A closed session does nothing more. */
export function step<T>(state: SessionState<T>, event: SessionEvent): SessionAction<T>[] {
  const actions: SessionAction<T>[] = [];
  if (state.phase === 'closed') return actions;
  switch (event.kind) {
    case 'pdu':
      hear(state, event.now);
      receive(state, event, actions);
      break;
    case 'fault':
      receiveFault(state, event, actions);
      break;
    case 'tick':
      tick(state, event.now, actions);
      break;
    case 'bind':
      if (state.phase !== 'open') break;
      move(state, 'binding');
      state.boundAs = event.bind.command;
      state.version = versionOf(event.bind.interface_version ?? 0);
      state.phaseDeadline = event.now + state.limits.bindTimeoutMs;
      actions.push({ kind: 'send', pdu: { ...event.bind, sequence_number: state.window.number() } });
      break;
    case 'admit':
      admit(state, event, actions);
      break;
    case 'refuse':
      if (state.phase !== 'binding') break;
      actions.push({ kind: 'send', pdu: responseTo(event.bind, event.command_status) });
      close(state, { reason: 'bind_refused', flush: true }, actions);
      break;
    case 'responded':
      responded(state, event.now, actions);
      break;
    case 'behind':
      state.refusing = true;
      if (state.paused) actions.push({ kind: 'resume' });
      break;
    case 'caught_up':
      state.refusing = false;
      if (state.paused) actions.push({ kind: 'pause' });
      break;
    case 'unbind':
      if (!isBound(state.phase)) break;
      move(state, 'unbinding');
      state.phaseDeadline = Infinity;
      state.unbinding = { by: 'us', sequence_number: 0, answered: false };
      advanceUnbinding(state, event.now, actions);
      break;
    case 'end':
      close(state, { reason: event.reason, flush: false }, actions);
      break;
  }
  return actions;
}

function receive<T>(
  state: SessionState<T>,
  { pdu, now }: { readonly pdu: Pdu; readonly now: number },
  actions: SessionAction<T>[],
): void {
  switch (pdu.command) {
    case 'enquire_link':
      actions.push({ kind: 'send', pdu: responseTo(pdu, ROK) });
      return;
    case 'enquire_link_resp':
      return;
    case 'bind_receiver':
    case 'bind_transmitter':
    case 'bind_transceiver':
      receiveBind(state, pdu, actions);
      return;
    case 'bind_receiver_resp':
    case 'bind_transmitter_resp':
    case 'bind_transceiver_resp':
      receiveBindAnswer(state, pdu, actions);
      return;
    case 'unbind':
      move(state, 'unbinding');
      state.phaseDeadline = now + Math.min(PEER_UNBIND_MS, state.limits.responseTimeoutMs);
      state.unbinding = { by: 'peer', sequence_number: pdu.sequence_number, answered: false };
      advanceUnbinding(state, now, actions);
      return;
    case 'unbind_resp':
      receiveUnbindAnswer(state, now, actions);
      return;
    case 'generic_nack':
      receiveNack(state, { pdu, now }, actions);
      return;
    case 'alert_notification':
    case 'outbind':
      actions.push({ kind: 'notify', pdu });
      return;
    default:
      if (isRequest(pdu)) receiveRequest(state, { pdu, action: { kind: 'request', pdu } }, actions);
      else settle(state, { pdu, now }, actions);
  }
}

function receiveRequest<T>(
  state: SessionState<T>,
  { pdu, action }: { readonly pdu: NumberedRequest; readonly action: SessionAction<T> },
  actions: SessionAction<T>[],
): void {
  if (ALLOWED[state.role][pdu.command]?.includes(state.phase) !== true) {
    // To a client that we are about to leave it is our trouble and not its mistake: the message can be sent again.
    const leaving = state.unbinding?.by === 'us' && state.role === 'server';
    actions.push({ kind: 'send', pdu: responseTo(pdu, leaving ? RSYSERR : RINVBNDSTS) });
    return;
  }
  const { peerWindowMax, peerBehindMs } = state.limits;
  const refusesAtOnce = peerBehindMs === 0;
  if (refusesAtOnce ? state.peerUnanswered >= peerWindowMax : state.paused && state.refusing) {
    state.peerRefused += 1;
    actions.push({ kind: 'send', pdu: responseTo(pdu, SURPLUS[state.role]) });
    return;
  }
  state.peerUnanswered += 1;
  actions.push(action);
  if (refusesAtOnce || state.paused || state.peerUnanswered < peerWindowMax) return;
  state.paused = true;
  actions.push({ kind: 'pause' });
}

function receiveBind<T>(state: SessionState<T>, pdu: PduOf<BindName>, actions: SessionAction<T>[]): void {
  if (state.role === 'server' && state.phase === 'open') {
    move(state, 'binding');
    state.boundAs = pdu.command;
    actions.push({ kind: 'decide', bind: pdu });
    return;
  }
  const command_status = state.role === 'server' ? RALYBND : RINVBNDSTS;
  actions.push({ kind: 'send', pdu: responseTo(pdu, command_status) });
}

/** Whatever its sequence number is, it can be the answer to our one bind only. */
function receiveBindAnswer<T>(state: SessionState<T>, pdu: Pdu, actions: SessionAction<T>[]): void {
  if (state.role !== 'client' || state.phase !== 'binding' || state.boundAs === undefined) {
    actions.push({ kind: 'stray', pdu, late: false });
    return;
  }
  if (pdu.command_status !== ROK || pdu.command === 'generic_nack') {
    actions.push({ kind: 'refused', pdu });
    close(state, { reason: 'bind_refused', flush: true }, actions);
    return;
  }
  // Without the TLV the peer may still know them: many of 3.4 leave it out. It never makes us newer than we said we are.
  const theirs = readTlv(pdu, 'sc_interface_version');
  if (theirs !== undefined && versionOf(theirs) < state.version) state.version = versionOf(theirs);
  bound(state, pdu, actions);
}

function admit<T>(
  state: SessionState<T>,
  event: Extract<SessionEvent, { kind: 'admit' }>,
  actions: SessionAction<T>[],
): void {
  if (state.phase !== 'binding') return;
  const { bind, system_id, now } = event;
  const theirs = versionOf(bind.interface_version);
  state.version = theirs < event.version ? theirs : event.version;
  // A TLV only to those that know TLVs, and who says 0x00 or 0x04 does not wait for one (3.4 section 3.4: 3.3 has none).
  const hasTlvs = bind.interface_version >= 0x34 && state.version !== 0x33;
  const tlvs = hasTlvs ? [writeTlv('sc_interface_version', state.version)] : [];
  const { sequence_number } = bind;
  actions.push({ kind: 'send', pdu: { command: responseName(bind.command), sequence_number, system_id, tlvs } });
  state.heardAt = now;
  bound(state, bind, actions);
}

function bound<T>(state: SessionState<T>, pdu: Pdu, actions: SessionAction<T>[]): void {
  if (state.boundAs === undefined) return;
  const phase = PHASE_OF_BIND[state.boundAs];
  move(state, phase);
  state.phaseDeadline = Infinity;
  actions.push({ kind: 'bound', phase, pdu });
}

/** A nack carries the number of the request, or 0 when the peer could not read it (3.4 section 4.3.1). */
function receiveNack<T>(
  state: SessionState<T>,
  event: { readonly pdu: PduOf<'generic_nack'>; readonly now: number },
  actions: SessionAction<T>[],
): void {
  const { pdu, now } = event;
  if (state.phase === 'binding') return receiveBindAnswer(state, pdu, actions);
  const { unbinding } = state;
  if (unbinding?.by === 'us' && unbinding.sequence_number === pdu.sequence_number && pdu.sequence_number !== 0) {
    return receiveUnbindAnswer(state, now, actions);
  }
  if (pdu.sequence_number !== 0 && pdu.sequence_number === state.enquireNumber) return;
  const only = state.window.size === 1 ? state.window.oldest() : undefined;
  if (pdu.sequence_number !== 0 || only === undefined) return settle(state, event, actions);
  state.window.take(only.sequence_number);
  actions.push({ kind: 'answer', waiting: only, pdu });
  advanceUnbinding(state, now, actions);
}

function settle<T>(
  state: SessionState<T>,
  { pdu, now }: { readonly pdu: Pdu; readonly now: number },
  actions: SessionAction<T>[],
): void {
  const found = state.window.find(pdu.sequence_number);
  if (found === undefined) {
    actions.push({ kind: 'stray', pdu, late: state.window.take(pdu.sequence_number) === 'late' });
    return;
  }
  // Peers that mix up numbers exist: an answer of the wrong kind is no answer.
  if (pdu.command !== 'generic_nack' && COMMANDS[pdu.command].id !== COMMANDS[found.command].id + 0x80000000) {
    actions.push({ kind: 'stray', pdu, late: false });
    return;
  }
  state.window.take(pdu.sequence_number);
  actions.push({ kind: 'answer', waiting: found, pdu });
  if (state.unbinding !== undefined) advanceUnbinding(state, now, actions);
}

function receiveFault<T>(
  state: SessionState<T>,
  { fault, now, isAsked }: Extract<SessionEvent, { kind: 'fault' }>,
  actions: SessionAction<T>[],
): void {
  const lost = fault.kind === 'command_length';
  if (!lost) hear(state, now);
  const command = fault.kind === 'body' && isAsked === true ? commandName(fault.command_id) : undefined;
  if (command !== undefined && command in ALLOWED[state.role] && isRequestName(command)) {
    const request = { command, sequence_number: fault.sequence_number };
    receiveRequest(state, { pdu: request, action: { kind: 'unreadable', request, fault } }, actions);
    return;
  }
  const pdu = answerToFault(fault);
  if (pdu !== undefined) actions.push({ kind: 'send', pdu });
  if (lost) close(state, { reason: 'framing', flush: true }, actions);
}

/** A response is never nacked, known or not: two peers would nack each other's nacks for ever. */
function answerToFault(fault: Fault): Encodable | undefined {
  const { command_id, command_status, sequence_number } = fault;
  if (isResponseId(command_id)) return undefined;
  const command = commandName(command_id);
  // generic_nack is for what is wrong with the header; a body has the answer of its command (3.4 section 4.3.1).
  return fault.kind === 'body' && command !== undefined && isRequestName(command)
    ? { command: responseName(command), command_status, sequence_number }
    : { command: 'generic_nack', command_status, sequence_number };
}

function responded<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  state.peerUnanswered -= 1;
  // At half, so that a peer with a large window does not make us stop and go for every PDU.
  if (state.paused && state.peerUnanswered <= state.limits.peerWindowMax / 2) {
    state.paused = false;
    actions.push({ kind: 'resume' });
  }
  if (state.unbinding !== undefined) advanceUnbinding(state, now, actions);
}

function receiveUnbindAnswer<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  if (state.unbinding?.by !== 'us' || state.unbinding.sequence_number === 0) return;
  state.unbinding = { ...state.unbinding, answered: true };
  advanceUnbinding(state, now, actions);
}

/** Both ways of unbinding first let what is in flight come to its end. */
function advanceUnbinding<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  const { unbinding, window } = state;
  if (unbinding === undefined) return;
  if (unbinding.by === 'us') {
    if (unbinding.answered && state.peerUnanswered === 0) close(state, { reason: 'unbound', flush: true }, actions);
    if (unbinding.sequence_number !== 0 || window.size > 0) return;
    const sequence_number = window.number();
    state.unbinding = { ...unbinding, sequence_number };
    state.phaseDeadline = now + state.limits.responseTimeoutMs;
    actions.push({ kind: 'send', pdu: { command: 'unbind', sequence_number } });
    return;
  }
  if (now < state.phaseDeadline && (window.size > 0 || state.peerUnanswered > 0)) return;
  actions.push({ kind: 'send', pdu: { command: 'unbind_resp', sequence_number: unbinding.sequence_number } });
  close(state, { reason: 'peer_unbound', flush: true }, actions);
}

function tick<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  for (const waiting of state.window.expire(now)) actions.push({ kind: 'timeout', waiting });
  advanceUnbinding(state, now, actions);
  if (state.phase === 'closed') return;
  if (now >= state.phaseDeadline) {
    const reason = state.phase === 'unbinding' ? 'unbind_timeout' : 'bind_timeout';
    close(state, { reason, flush: false }, actions);
    return;
  }
  if (isBound(state.phase)) enquire(state, now, actions);
}

function enquire<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  const { enquireLinkMs, responseTimeoutMs } = state.limits;
  const first = state.enquiresUnanswered === 0;
  const due = first ? state.heardAt + enquireLinkMs : state.enquiredAt + Math.min(enquireLinkMs, responseTimeoutMs);
  if (now < due) return;
  if (state.enquiresUnanswered >= ENQUIRES_UNANSWERED_MAX) {
    close(state, { reason: 'silent', flush: false }, actions);
    return;
  }
  state.enquiresUnanswered += 1;
  state.enquiredAt = now;
  state.enquireNumber = state.window.number();
  actions.push({ kind: 'send', pdu: { command: 'enquire_link', sequence_number: state.enquireNumber } });
}

/** Any PDU is a sign of life, not the answer to our enquire_link alone. */
function hear<T>(state: SessionState<T>, now: number): void {
  state.heardAt = now;
  state.enquiresUnanswered = 0;
}

function close<T>(
  state: SessionState<T>,
  { reason, flush }: { readonly reason: CloseReason; readonly flush: boolean },
  actions: SessionAction<T>[],
): void {
  move(state, 'closed');
  actions.push({ kind: 'close', reason, flush, abandoned: state.window.drain() });
}

function isRequest(pdu: Pdu): pdu is PduOf<RequestName> {
  return isRequestName(pdu.command);
}

/** The bare answer to a request: a status and no fields. */
function responseTo(pdu: NumberedRequest, command_status: number): Encodable {
  return { command: responseName(pdu.command), command_status, sequence_number: pdu.sequence_number };
}

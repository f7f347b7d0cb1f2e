import { type RequestName, commands, isRequestName, responseName } from '../codec/commands.ts';
import type { Pdu, PduOf } from '../codec/pdu.ts';
import {
  advanceUnbinding,
  close,
  overdue,
  peerEnded,
  receiveUnbind,
  receiveUnbindAnswer,
  unbind,
} from './session-end.ts';
import { answerToFault, isBind, refusalOf, responseTo, unreadableRequest } from './session-refusals.ts';
import {
  type BindName,
  type BoundPhase,
  type NumberedRequest,
  type Role,
  type SessionAction,
  type SessionEvent,
  type SessionState,
  isBound,
  move,
  versionOf,
} from './session-state.ts';
import { statuses } from '../codec/statuses.ts';
import { readTlv, writeTlv } from '../codec/tlvs.ts';

/*
 * An SMPP session as a state machine for both ends of a connection (3.4 chapter 2). The state machine does no input or
 * output: `step` gets an event with the current time and returns actions. `Connection` carries out the actions in
 * order. `step` changes the state object.
 */

const ok = statuses.ESME_ROK;

const enquiresUnansweredMax = 2;

/**
 * How long our answers may remain without a proof that the peer has read them. With a shorter time, fewer messages
 * count as possibly lost when the connection breaks.
 */
const proveMs = 5_000;

/**
 * The status that refuses requests beyond peerWindowMax. The status tells the peer to send the request again later. A
 * server answers submit_sm with ESME_RMSGQFUL (3.4 section 5.1.3); a client answers deliver_sm with ESME_RX_T_APPN.
 */
const surplus: Record<Role, number> = { server: statuses.ESME_RMSGQFUL, client: statuses.ESME_RX_T_APPN };

const phaseOfBind: Record<BindName, BoundPhase> = {
  bind_receiver: 'bound_rx',
  bind_transmitter: 'bound_tx',
  bind_transceiver: 'bound_trx',
};

/**
 * Applies one event to the state and returns the resulting actions in order. Returns no actions if the session is
 * closed.
 */
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
      tick(state, event, actions);
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
      unbind(state, event.now, actions);
      break;
    case 'peer_ended':
      peerEnded(state, event.now, actions);
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
      actions.push({ kind: 'send', pdu: responseTo(pdu, ok) });
      return;
    case 'enquire_link_resp':
      // The answer to an enquire_link of the session needs no further handling. The owner may also send an
      // enquire_link; then the answer is passed to the owner.
      if (state.window.find(pdu.sequence_number) !== undefined) settle(state, { pdu, now }, actions);
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
      receiveUnbind(state, { pdu, now }, actions);
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
  const refusal = refusalOf(state, pdu.command);
  if (refusal !== undefined) {
    actions.push({ kind: 'send', pdu: responseTo(pdu, refusal) });
    return;
  }
  const { peerWindowMax, peerBehindMs } = state.limits;
  const refusesAtOnce = peerBehindMs === 0;
  if (refusesAtOnce ? state.peerUnanswered >= peerWindowMax : state.paused && state.refusing) {
    state.peerRefused += 1;
    actions.push({ kind: 'send', pdu: responseTo(pdu, surplus[state.role]) });
    return;
  }
  state.peerUnanswered += 1;
  actions.push(action);
  if (refusesAtOnce || state.paused || state.peerUnanswered < peerWindowMax) return;
  state.paused = true;
  actions.push({ kind: 'pause' });
}

function receiveBind<T>(state: SessionState<T>, pdu: PduOf<BindName>, actions: SessionAction<T>[]): void {
  const refusal = refusalOf(state, pdu.command);
  if (refusal !== undefined) {
    actions.push({ kind: 'send', pdu: responseTo(pdu, refusal) });
    return;
  }
  move(state, 'binding');
  state.boundAs = pdu.command;
  actions.push({ kind: 'decide', bind: pdu });
}

/**
 * Handles the answer to our bind. We send only one bind per connection, so the sequence number of the answer is not
 * checked.
 */
function receiveBindAnswer<T>(state: SessionState<T>, pdu: Pdu, actions: SessionAction<T>[]): void {
  if (state.role !== 'client' || state.phase !== 'binding' || state.boundAs === undefined) {
    actions.push({ kind: 'stray', pdu, late: false });
    return;
  }
  if (pdu.command_status !== ok || pdu.command === 'generic_nack') {
    actions.push({ kind: 'refused', pdu });
    close(state, { reason: 'bind_refused', flush: true }, actions);
    return;
  }
  // Many peers of version 3.4 do not send sc_interface_version, so without this TLV we keep our version. We also keep
  // our version if the peer's version is newer.
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
  // We send sc_interface_version only to peers that expect TLVs. SMPP 3.3 has no TLVs (3.4 section 3.4), and peers that
  // send 0x00 or 0x04 as their version do not expect sc_interface_version.
  const hasTlvs = bind.interface_version >= 0x34 && state.version !== 0x33;
  const tlvs = hasTlvs ? [writeTlv('sc_interface_version', state.version)] : [];
  const { sequence_number } = bind;
  actions.push({ kind: 'send', pdu: { command: responseName(bind.command), sequence_number, system_id, tlvs } });
  state.heardAt = now;
  bound(state, bind, actions);
}

function bound<T>(state: SessionState<T>, pdu: Pdu, actions: SessionAction<T>[]): void {
  if (state.boundAs === undefined) return;
  const phase = phaseOfBind[state.boundAs];
  move(state, phase);
  state.phaseDeadline = Infinity;
  actions.push({ kind: 'bound', phase, pdu });
}

/**
 * Handles a generic_nack. A generic_nack has the sequence number of the request, or 0 if the peer could not read that
 * number (3.4 section 4.3.1).
 */
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
  // Some peers mix up sequence numbers, so we ignore a response whose command does not match the request.
  if (pdu.command !== 'generic_nack' && commands[pdu.command].id !== commands[found.command].id + 0x80000000) {
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
  const request = unreadableRequest(fault);
  const refusal = request && refusalOf(state, request.command);
  if (request !== undefined && (refusal !== undefined || (isAsked === true && !isBind(request.command)))) {
    receiveRequest(state, { pdu: request, action: { kind: 'unreadable', request, fault } }, actions);
    return;
  }
  const pdu = answerToFault(fault);
  if (pdu !== undefined) actions.push({ kind: 'send', pdu });
  if (lost) close(state, { reason: 'framing', flush: true }, actions);
}

function responded<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  state.peerUnanswered -= 1;
  // We resume reading when half of the requests are answered. Otherwise reading would pause again after each PDU.
  if (state.paused && state.peerUnanswered <= state.limits.peerWindowMax / 2) {
    state.paused = false;
    actions.push({ kind: 'resume' });
  }
  if (state.unbinding !== undefined) advanceUnbinding(state, now, actions);
}

function tick<T>(
  state: SessionState<T>,
  { now, unreadSince }: Extract<SessionEvent, { kind: 'tick' }>,
  actions: SessionAction<T>[],
): void {
  for (const waiting of state.window.expire(now)) actions.push({ kind: 'timeout', waiting });
  advanceUnbinding(state, now, actions);
  if (state.phase === 'closed') return;
  if (now >= state.phaseDeadline) {
    close(state, { reason: overdue(state), flush: false }, actions);
    return;
  }
  if (isBound(state.phase)) enquire(state, { now, unreadSince }, actions);
}

function enquire<T>(
  state: SessionState<T>,
  { now, unreadSince = Number.POSITIVE_INFINITY }: Pick<Extract<SessionEvent, { kind: 'tick' }>, 'now' | 'unreadSince'>,
  actions: SessionAction<T>[],
): void {
  const { enquireLinkMs, responseTimeoutMs } = state.limits;
  const first = state.enquiresUnanswered === 0;
  // Timed-out requests occupy the window until the peer sends a PDU. Therefore we send enquire_link at once after a
  // timeout.
  const quietMs = state.window.isUnheard ? 0 : enquireLinkMs;
  const due = first ? state.heardAt + quietMs : state.enquiredAt + Math.min(enquireLinkMs, responseTimeoutMs);
  // Without an enquire_link, nothing proves that the peer reads our answers if we have no requests in flight.
  const isUnproven = first && now >= Math.max(unreadSince, state.enquiredAt) + proveMs;
  if (now < due && !isUnproven) return;
  if (state.enquiresUnanswered >= enquiresUnansweredMax) {
    close(state, { reason: 'silent', flush: false }, actions);
    return;
  }
  state.enquiresUnanswered += 1;
  state.enquiredAt = now;
  state.enquireNumber = state.window.number();
  actions.push({ kind: 'send', pdu: { command: 'enquire_link', sequence_number: state.enquireNumber } });
}

/** Records that the peer sent a PDU and is therefore alive. */
function hear<T>(state: SessionState<T>, now: number): void {
  state.heardAt = now;
  state.enquiresUnanswered = 0;
  state.window.heard();
}

function isRequest(pdu: Pdu): pdu is PduOf<RequestName> {
  return isRequestName(pdu.command);
}

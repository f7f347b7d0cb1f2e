import type { PduOf } from '../codec/pdu.ts';
import { type CloseReason, type SessionAction, type SessionState, isBound, move } from './session-state.ts';

/*
 * Ends a session in three cases: we unbind, the peer unbinds, or the peer closes its side of the connection.
 */

// After its unbind, the peer may not answer our requests any more, so we wait only this long for its answers. The peer
// gets our answers, as long as they come within responseTimeoutMs. Then we answer the unbind.
const peerUnbindMs = 1000;

/** Starts to unbind a bound session. */
export function unbind<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  if (!isBound(state.phase)) return;
  move(state, 'unbinding');
  state.phaseDeadline = Infinity;
  state.unbinding = { by: 'us', sequence_number: 0, answered: false, waitsUntil: Infinity };
  advanceUnbinding(state, now, actions);
}

/** Handles an unbind from the peer, which may come at any time. */
export function receiveUnbind<T>(
  state: SessionState<T>,
  { pdu, now }: { readonly pdu: PduOf<'unbind'>; readonly now: number },
  actions: SessionAction<T>[],
): void {
  move(state, 'unbinding');
  state.phaseDeadline = now + state.limits.responseTimeoutMs;
  const waitsUntil = Math.min(now + peerUnbindMs, state.phaseDeadline);
  state.unbinding = { by: 'peer', sequence_number: pdu.sequence_number, answered: false, waitsUntil };
  advanceUnbinding(state, now, actions);
}

export function receiveUnbindAnswer<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  if (state.unbinding?.by !== 'us' || state.unbinding.sequence_number === 0) return;
  state.unbinding = { ...state.unbinding, answered: true };
  advanceUnbinding(state, now, actions);
}

/**
 * Handles a peer that has closed its side of the connection (FIN in TCP, close_notify in TLS). If the peer is a server,
 * the session ends, because no more answers will come. If the peer is a client, we answer its requests within
 * responseTimeoutMs, but send it no new requests.
 */
export function peerEnded<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  state.peerEnded = true;
  if (state.role === 'client' || state.phase === 'open') {
    close(state, { reason: 'disconnected', flush: state.role === 'server' }, actions);
    return;
  }
  // The session first decides about the bind and answers it.
  if (state.phase === 'binding') return;
  if (state.window.size > 0) actions.push({ kind: 'abandon', abandoned: state.window.drain() });
  if (isBound(state.phase)) move(state, 'unbinding');
  const isUnbound = state.unbinding?.by === 'peer' || state.unbinding?.answered === true;
  if (!isUnbound) {
    state.phaseDeadline = now + state.limits.responseTimeoutMs;
    state.unbinding = { by: 'nobody', sequence_number: 0, answered: false, waitsUntil: now };
  }
  advanceUnbinding(state, now, actions);
}

/** Does the next step of an unbind, after all requests in flight are answered. */
export function advanceUnbinding<T>(state: SessionState<T>, now: number, actions: SessionAction<T>[]): void {
  const { unbinding, window } = state;
  switch (unbinding?.by) {
    case 'us':
      if (unbinding.answered && state.peerUnanswered === 0) close(state, { reason: 'unbound', flush: true }, actions);
      if (unbinding.sequence_number !== 0 || window.size > 0) return;
      state.unbinding = { ...unbinding, sequence_number: window.number() };
      state.phaseDeadline = now + state.limits.responseTimeoutMs;
      actions.push({ kind: 'send', pdu: { command: 'unbind', sequence_number: state.unbinding.sequence_number } });
      return;
    case 'peer':
      if (window.size > 0 && now < unbinding.waitsUntil) return;
      if (state.peerUnanswered > 0 && now < state.phaseDeadline) return;
      actions.push({ kind: 'send', pdu: { command: 'unbind_resp', sequence_number: unbinding.sequence_number } });
      close(state, { reason: 'peer_unbound', flush: true }, actions);
      return;
    case 'nobody':
      if (state.peerUnanswered === 0) close(state, { reason: 'disconnected', flush: true }, actions);
      return;
    case undefined:
  }
}

/** The close reason of a session that takes too long to bind or to unbind. */
export function overdue<T>({ phase, unbinding }: SessionState<T>): CloseReason {
  if (phase !== 'unbinding') return 'bind_timeout';
  return unbinding?.by === 'nobody' ? 'handler_stalled' : 'unbind_timeout';
}

export function close<T>(
  state: SessionState<T>,
  { reason, flush }: { readonly reason: CloseReason; readonly flush: boolean },
  actions: SessionAction<T>[],
): void {
  move(state, 'closed');
  actions.push({ kind: 'close', reason, flush, abandoned: state.window.drain() });
}

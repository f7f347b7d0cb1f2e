import assert from 'node:assert/strict';
import { decode } from '../codec/decode.ts';
import { encode } from '../codec/encode.ts';
import type { Encodable, Fault, Pdu, PduOf } from '../codec/pdu.ts';
import {
  type BindName,
  type Role,
  type SessionAction,
  type SessionEvent,
  type SessionState,
  openSession,
} from './session-state.ts';
import { step } from './session.ts';
import { Window } from './window.ts';

/*
 * Support for the tests of the session: events and actions in a short form for tables.
 */

const limits = { enquireLinkMs: 30_000, responseTimeoutMs: 10_000, bindTimeoutMs: 5_000, peerWindowMax: 4 };

export type State = SessionState<string>;

export function open(role: Role): State {
  return openSession<string>(role, { limits, window: new Window({ max: 3 }), now: 0 });
}

/** Makes a session that is bound at time 0. A client's bind has used the sequence number 1. */
export function bound(role: Role, as: BindName = 'bind_transceiver'): State {
  const state = open(role);
  if (role === 'client') {
    step(state, { kind: 'bind', bind: { command: as, system_id: 'us', password: 'secret' }, now: 0 });
    step(state, hear({ command: `${as}_resp`, sequence_number: 1, system_id: 'them' }));
  } else {
    const bind = bindPdu(as, 0x34);
    step(state, { kind: 'pdu', pdu: bind, now: 0 });
    step(state, { kind: 'admit', bind, system_id: 'us', version: 0x50, now: 0 });
  }
  return state;
}

/** Makes a PDU for a test: encodes and decodes it, so that it is exactly like a received PDU. */
function pdu(what: Encodable): Pdu {
  const decoded = decode(encode(what));
  if (!decoded.ok) throw new Error(decoded.fault.reason);
  return decoded.pdu;
}

export function hear(what: Encodable, now = 0): SessionEvent {
  return { kind: 'pdu', pdu: pdu(what), now };
}

export function bindPdu(command: BindName, interface_version: number): PduOf<BindName> {
  const made = pdu({ command, sequence_number: 9, system_id: 'them', password: 'secret', interface_version });
  if (made.command !== command) throw new Error('not a bind');
  return made;
}

export function fault(what: Partial<Fault>): SessionEvent {
  const whole = { kind: 'command_id', command_status: 3, command_id: 0x99, sequence_number: 5, reason: '' } as const;
  return { kind: 'fault', fault: { ...whole, ...what }, now: 0 };
}

/** Formats an action as a short text. */
function line(action: SessionAction<string>): string {
  switch (action.kind) {
    case 'send':
      return `send ${action.pdu.command} ${action.pdu.sequence_number} ${action.pdu.command_status ?? 0}`;
    case 'request':
    case 'notify':
    case 'refused':
      return `${action.kind} ${action.pdu.command} ${action.pdu.sequence_number}`;
    case 'decide':
      return `decide ${action.bind.command}`;
    case 'bound':
      return `bound ${action.phase}`;
    case 'answer':
      return `answer ${action.waiting.waiter} ${action.pdu.command} ${action.pdu.command_status}`;
    case 'timeout':
      return `timeout ${action.waiting.waiter}`;
    case 'stray':
      return `stray ${action.pdu.command} ${action.late ? 'late' : 'unknown'}`;
    case 'close':
      return `close ${action.reason}${action.flush ? ' flush' : ''}${action.abandoned.map((one) => ` ${one.waiter}`).join('')}`;
    case 'abandon':
      return `abandon ${action.abandoned.map((one) => one.waiter).join(' ')}`;
    default:
      return action.kind;
  }
}

type Row = readonly [SessionEvent, ...string[]];

export function play(state: State, rows: readonly Row[]): void {
  for (const [event, ...expected] of rows) {
    assert.deepEqual(step(state, event).map(line), expected, JSON.stringify(event));
  }
}

export function ask(state: State, waiter: string, now = 0): number {
  return state.window.add('submit_sm', now + limits.responseTimeoutMs, waiter).sequence_number;
}

export const submit = (sequence_number: number): Encodable => ({ command: 'submit_sm', sequence_number });
export const submitted = (sequence_number: number, command_status = 0): Encodable => ({
  command: 'submit_sm_resp',
  sequence_number,
  command_status,
  message_id: 'x',
});
export const deliver = (sequence_number: number): Encodable => ({ command: 'deliver_sm', sequence_number });
export const enquire: Encodable = { command: 'enquire_link', sequence_number: 77 };
export const tick = (now: number, unreadSince?: number): SessionEvent => ({ kind: 'tick', now, unreadSince });
export const unbind: Encodable = { command: 'unbind', sequence_number: 8 };
export const bindUs: SessionEvent = {
  kind: 'bind',
  bind: { command: 'bind_transmitter', system_id: 'us', password: 'secret' },
  now: 0,
};

export function nack(sequence_number: number): SessionEvent {
  return hear({ command: 'generic_nack', sequence_number, command_status: 2 });
}

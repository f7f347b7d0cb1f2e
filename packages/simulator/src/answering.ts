import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { responseName, encode, statuses, type PduOf, type Respond, type Session } from '@morsel/smpp';
import type { AnswerPlan, Ending } from './plans.ts';
import type { Wire } from './answer/wire.ts';
import { type Wound, markOf } from './answer/wounds.ts';

/*
 * Answers each submit_sm by its plan: accepts it, refuses it, sends no answer, or ends the connection.
 */

/**
 * One client session of the simulator. `isGone` is true after the simulator has ended the connection or stopped
 * answering.
 */
export interface Peer {
  readonly session: Session;
  readonly socket: Socket;
  readonly wire: Wire;
  isGone: boolean;
}

export type Submit = PduOf<'submit_sm' | 'data_sm'>;

const ok = statuses.ESME_ROK;
/**
 * After a FIN, a client has this time to close its side of the connection. After this time, the simulator disconnects
 * the client.
 */
const hangUpMs = 1000;

/** Answers a submit_sm by its plan. */
export function answer(
  peer: Peer,
  given: { readonly plan: AnswerPlan; readonly pdu: Submit; readonly message_id: string; readonly respond: Respond },
): void {
  const { plan, pdu, message_id, respond } = given;
  if (peer.isGone) return;
  switch (plan.kind) {
    case 'accept':
      respond(ok, { message_id, ...marked(plan.wound) });
      return;
    case 'refuse':
      respond(plan.command_status, { ...(plan.hasBody === true && { message_id: '' }), ...marked(plan.wound) });
      return;
    case 'silence':
      return;
    case 'disconnect': {
      const { sequence_number } = pdu;
      const response = encode({ command: responseName(pdu.command), sequence_number, message_id });
      const sent = { none: 0, half: Math.floor(response.length / 2), whole: response.length }[plan.answer];
      // Written directly to the wire, because the session cannot send half an answer.
      peer.session.flush();
      peer.wire.writeRaw(response.subarray(0, sent));
      hangUp(peer, plan.by);
    }
  }
}

function marked(wound: Wound | undefined): Pick<NonNullable<Parameters<Respond>[1]>, 'tlvs'> {
  return wound === undefined ? {} : { tlvs: [markOf(wound)] };
}

/** Ends the connection in the given way. The simulator then ignores all further requests of this client. */
export function hangUp(peer: Peer, by: Ending): void {
  peer.isGone = true;
  switch (by) {
    case 'silence':
      peer.wire.silence();
      return;
    case 'rst':
      reset(peer.socket);
      return;
    case 'fin': {
      peer.socket.end();
      const timer = setTimeout(() => peer.session.destroy(), hangUpMs);
      void peer.session.closed.then(() => clearTimeout(timer));
    }
  }
}

/** Resets the TCP connection. A TLS socket cannot be reset, so it is destroyed instead. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

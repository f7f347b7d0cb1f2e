import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { responseName, encode, statuses } from '@morsel/smpp';
import type { PduOf, Respond, Session } from '@morsel/smpp';
import type { AnswerPlan, Ending } from '../magic/plans.ts';
import type { Wire } from './wire.ts';
import type { Wound } from './wounds.ts';
import { markOf } from './wounds.ts';

/*
 * Answers submit_sm as planned: accept, refuse, stay silent, or end the connection.
 */

/** One client of the simulator. `isGone`: the simulator has hung up, or pretends to. */
export interface Peer {
  readonly session: Session;
  readonly socket: Socket;
  readonly wire: Wire;
  isGone: boolean;
}

export type Submit = PduOf<'submit_sm' | 'data_sm'>;

const ok = statuses.ESME_ROK;
/** A client that does not close its side in this time is disconnected. */
const hangUpMs = 1000;

/** Answers a submit_sm as its plan says. */
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
      // Written past the session, which would refuse to send half an answer.
      peer.session.flush();
      peer.wire.writeRaw(response.subarray(0, sent));
      hangUp(peer, plan.by);
    }
  }
}

function marked(wound: Wound | undefined): Pick<NonNullable<Parameters<Respond>[1]>, 'tlvs'> {
  return wound === undefined ? {} : { tlvs: [markOf(wound)] };
}

/** Ends the connection as the plan says. From now on, requests of this client are ignored. */
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

/** Resets the connection. TLS allows no reset, so there the socket is destroyed. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { responseName } from '../commands.ts';
import { encode } from '../encode.ts';
import type { PduOf } from '../pdu.ts';
import type { Respond, Session } from '../session-contract.ts';
import { status } from '../statuses.ts';
import type { AnswerPlan } from './magic.ts';

/** One client at the simulator. `isGone`: we have hung up, or pretend to. */
export type Peer = { readonly session: Session; readonly socket: Socket; isGone: boolean };

export type Submit = PduOf<'submit_sm' | 'data_sm'>;

const ROK = status('ESME_ROK');
const NONSENSE = 'These are no octets of SMPP, and an answer they are not.\r\n';
/** For a client that does not close its side. */
const HANG_UP_MS = 1000;

/** Carries out what the plan says, good or bad. */
export function answer(
  peer: Peer,
  given: { readonly plan: AnswerPlan; readonly pdu: Submit; readonly message_id: string; readonly respond: Respond },
): void {
  const { plan, pdu, message_id, respond } = given;
  if (peer.isGone) return;
  switch (plan.kind) {
    case 'accept':
      respond(ROK, { message_id });
      return;
    case 'refuse':
      respond(plan.command_status);
      return;
    case 'silence':
      return;
    case 'nack':
      write(
        peer,
        encode({ command: 'generic_nack', command_status: plan.command_status, sequence_number: pdu.sequence_number }),
      );
      return;
    case 'nonsense':
      write(peer, Buffer.from(NONSENSE));
      return;
    case 'disconnect': {
      const { sequence_number } = pdu;
      const response = encode({ command: responseName(pdu.command), sequence_number, message_id });
      const sent = { none: 0, half: Math.floor(response.length / 2), whole: response.length }[plan.answer];
      write(peer, response.subarray(0, sent));
      hangUp(peer, plan.by);
    }
  }
}

/** Past the session, which would never say such a thing. */
function write({ session, socket }: Peer, bytes: Uint8Array): void {
  session.flush();
  if (bytes.length > 0) socket.write(bytes);
}

function hangUp(peer: Peer, by: 'fin' | 'rst'): void {
  peer.isGone = true;
  if (by === 'rst') {
    reset(peer.socket);
    return;
  }
  peer.socket.end();
  const timer = setTimeout(() => peer.session.destroy(), HANG_UP_MS);
  void peer.session.closed.then(() => clearTimeout(timer));
}

/** Ends the connection without a goodbye; under TLS the nearest to it. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

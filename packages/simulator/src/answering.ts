import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { statuses, type PduOf, type Respond, type Session, type Sink } from '@morsel/smpp';
import type { AnswerPlan } from './plans.ts';

/* Answers each submit_sm by its plan: accepts it, refuses it, sends no answer, or ends the connection. */

/**
 * `isGone` is true after the simulator has ended the connection or stopped answering. `number` counts the sessions in
 * the order of their binds.
 */
export interface Peer {
  readonly session: Session;
  readonly number: number;
  readonly socket: Socket;
  readonly wire: Wire;
  isGone: boolean;
}

export type Submit = PduOf<'submit_sm' | 'data_sm'>;

/** Writes to the socket, unless a plan replaces the output. */
export class Wire implements Sink {
  /** Makes the octets that replace an answer. Set only while such an answer is written. */
  replace: ((answer: Buffer) => Uint8Array) | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  write(bytes: Uint8Array): boolean {
    return this.#socket.write(this.replace === undefined ? bytes : this.replace(Buffer.from(bytes)));
  }
}

/** After a FIN, a client has this time to close its side. Then the simulator disconnects it. */
const hangUpMs = 1000;

export function answer(
  peer: Peer,
  given: { readonly plan: AnswerPlan; readonly message_id: string; readonly respond: Respond },
): void {
  const { session, wire } = peer;
  if (peer.isGone) return;
  const { command_status = statuses.ESME_ROK, octets, isLast = false } = given.plan;
  // The PDUs that wait before this answer are written first, unchanged.
  if (octets !== undefined) session.flush();
  wire.replace = octets;
  if (command_status === statuses.ESME_ROK) given.respond(command_status, { message_id: given.message_id });
  else if (command_status !== null) given.respond(command_status);
  if (octets !== undefined || isLast) session.flush();
  wire.replace = undefined;
  if (isLast) hangUp(peer);
}

/** All further requests of this client are ignored. */
function hangUp(peer: Peer): void {
  peer.isGone = true;
  peer.socket.end();
  const timer = setTimeout(() => peer.session.destroy(), hangUpMs);
  void peer.session.closed.then(() => clearTimeout(timer));
}

/** A TLS socket cannot be reset, so it is destroyed instead. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

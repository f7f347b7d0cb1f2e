/** The types of the npm package `smpp`, as far as these tests use it. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server as NetServer, Socket } from 'node:net';
  import type { TlsOptions } from 'node:tls';

  export interface Pdu {
    readonly command: string;
    readonly command_status: number;
    readonly system_id?: string;
    readonly interface_version?: number;
    readonly source_addr?: string;
    readonly destination_addr?: string;
    readonly registered_delivery?: number;
    readonly esm_class?: number;
    readonly message_id?: string;
    readonly receipted_message_id?: string;
    readonly message_state?: number;
    readonly user_message_reference?: number;
    readonly short_message?: Message;
    readonly message_payload?: Message;
    readonly sar_msg_ref_num?: number;
    readonly sar_total_segments?: number;
    readonly sar_segment_seqnum?: number;
    isResponse(): boolean;
    response(fields?: object): Pdu;
  }

  /** The text as the package decodes it, and the elements of the user data header, each with its two leading octets. */
  export interface Message {
    readonly message: string;
    readonly udh?: readonly Buffer[];
  }

  export interface Session extends EventEmitter {
    readonly socket: Socket;
    send(pdu: Pdu): boolean;
    deliver_sm(fields: object, hear: (answer: Pdu) => void): boolean;
    bind_transmitter(fields: object, hear: (answer: Pdu) => void): boolean;
    bind_receiver(fields: object, hear: (answer: Pdu) => void): boolean;
    bind_transceiver(fields: object, hear: (answer: Pdu) => void): boolean;
    submit_sm(fields: object, hear: (answer: Pdu) => void): boolean;
    query_sm(fields: object, hear: (answer: Pdu) => void): boolean;
    cancel_sm(fields: object, hear: (answer: Pdu) => void): boolean;
    unbind(hear: (answer: Pdu) => void): boolean;
    enquire_link(hear: (answer: Pdu) => void): boolean;
    close(): void;
    destroy(): void;
  }

  export function connect(options: { readonly host: string; readonly port: number }): Session;

  export function createServer(options: TlsOptions, listener: (session: Session) => void): NetServer;
}

/** The types of the npm package `smpp`, as far as these tests use it. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';

  export interface Pdu {
    readonly command: string;
    readonly command_status: number;
    readonly source_addr?: string;
    readonly destination_addr?: string;
    readonly esm_class?: number;
    readonly message_id?: string;
    readonly receipted_message_id?: string;
    readonly message_state?: number;
    readonly user_message_reference?: number;
    readonly short_message?: Message;
    readonly message_payload?: Message;
    isResponse(): boolean;
    response(fields?: object): Pdu;
  }

  /** The text as the package decodes it. */
  export interface Message {
    readonly message: string;
  }

  export interface Session extends EventEmitter {
    send(pdu: Pdu): boolean;
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
}

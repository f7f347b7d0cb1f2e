/** How a peer binds to us as a client. */
export interface PeerBind {
  readonly port: number;
  readonly as: 'transmitter' | 'receiver' | 'transceiver';
  /** interface_version. */
  readonly version: number;
}

/** A text, in one submit_sm. */
export interface ToSubmit {
  readonly to: string;
  readonly text: string;
  /** 8 is UCS-2; without it the default of data_coding 0, the GSM alphabet. */
  readonly dataCoding?: 0 | 8;
  readonly schedule?: string;
  /** In message_payload. */
  readonly isPayload?: boolean;
  /** user_message_reference; 0 or nothing for none. */
  readonly reference?: number;
}

/** The answer to one of its requests. */
export interface PeerAnswer {
  readonly status: number;
  readonly messageId: string;
  /** message_state of query_sm_resp. */
  readonly state: number;
}

/** A deliver_sm that it got. */
export interface PeerDelivered {
  readonly from: string;
  readonly to: string;
  readonly esmClass: number;
  /** From short_message or message_payload. */
  readonly text: string;
  /** receipted_message_id, if there is one. */
  readonly receiptedId: string;
  /** message_state and user_message_reference; 0 where there is none. */
  readonly state: number;
  readonly reference: number;
}

/** A program that is not ours, or uses one, bound to us as a client. */
export interface SmppClientPeer extends AsyncDisposable {
  readonly delivered: readonly PeerDelivered[];
  submit(message: ToSubmit): Promise<PeerAnswer>;
  query(messageId: string): Promise<PeerAnswer>;
  cancel(messageId: string): Promise<PeerAnswer>;
  enquire(): Promise<PeerAnswer>;
  /** Ends once the connection has ended. */
  unbind(): Promise<PeerAnswer>;
}

/** How a foreign client program binds to the gateway. */
export interface PeerBind {
  readonly port: number;
  readonly as: 'transmitter' | 'receiver' | 'transceiver';
  /** interface_version. */
  readonly version: number;
}

/** A message to be sent in one submit_sm. */
export interface ToSubmit {
  readonly to: string;
  readonly text: string;
  /** 8 is UCS-2; without it the default of data_coding 0, the GSM alphabet. */
  readonly dataCoding?: 0 | 8;
  readonly schedule?: string;
  /** Whether the text is in message_payload. */
  readonly isPayload?: boolean;
  /** user_message_reference; 0 or undefined to leave it out. */
  readonly reference?: number;
}

/** The answer to a request of the client. */
export interface PeerAnswer {
  readonly status: number;
  readonly messageId: string;
  /** message_state of query_sm_resp. */
  readonly state: number;
}

/** A deliver_sm that the client got. */
export interface PeerDelivered {
  readonly from: string;
  readonly to: string;
  readonly esmClass: number;
  /** The text in short_message or message_payload. */
  readonly text: string;
  /** receipted_message_id; empty if there is none. */
  readonly receiptedId: string;
  /** message_state and user_message_reference; 0 where there is none. */
  readonly state: number;
  readonly reference: number;
}

/** A client of the gateway that is a foreign program, or uses a foreign library. */
export interface SmppClientPeer extends AsyncDisposable {
  readonly delivered: readonly PeerDelivered[];
  submit(message: ToSubmit): Promise<PeerAnswer>;
  query(messageId: string): Promise<PeerAnswer>;
  cancel(messageId: string): Promise<PeerAnswer>;
  enquire(): Promise<PeerAnswer>;
  /** Resolves once the connection has ended. */
  unbind(): Promise<PeerAnswer>;
}

import type { ServerTls } from '@morsel/smpp';
import type { Submit } from './answering.ts';
import type { JournalEntry } from './journal.ts';
import type { Behaviour, ConnectionEnd } from './plans.ts';
import type { Requirement } from './requirements.ts';

/*
 * The options of the simulator and their defaults.
 */

/** The formats of message ids. Some carriers write an id in decimal in the answer and in hexadecimal in the receipt. */
export type IdForm = 'decimal' | 'hex';

export interface SimulatorOptions {
  /** The TCP port; 0 selects any free port. */
  readonly port: number;
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** If set, the simulator accepts only TLS connections. */
  readonly tls?: ServerTls;
  /** The system_id and the password that binds must have. Default: any. */
  readonly systemId?: string;
  readonly password?: string;
  /** The most sessions of one system_id. Further binds are refused with ESME_RALYBND. Default: no limit. */
  readonly bindsMax?: number;
  /** The time from a submit_sm to its receipt. Default: 500 ms. */
  readonly receiptDelayMs?: number;
  /** The time after which a receipt or inbound message without acknowledgement is sent again. Default: 1 s. */
  readonly retryMs?: number;
  /** The time from a submit_sm to its answer. Default: 0. */
  readonly answerDelayMs?: number;
  /** A file to which the journal is appended, or a function that is called with each entry. */
  readonly journal?: string | ((entry: JournalEntry) => void);
  /** Whether the journal contains the texts of messages. Default: false. */
  readonly journalTexts?: boolean;
  /** The most submit_sm in a second. Further submit_sm are refused with ESME_RTHROTTLED. Default: no limit. */
  readonly throughput?: number;
  /** The share of submit_sm, from 0 to 1, that are refused at random with ESME_RTHROTTLED. Default: 0. */
  readonly throttleChance?: number;
  /**
   * The most submit_sm of one session that may wait for an answer. Further submit_sm are refused with ESME_RMSGQFUL.
   * Default: no limit.
   */
  readonly window?: number;
  /** Requirements for submit_sm. A message that does not meet all requirements is refused. Default: none. */
  readonly requirements?: readonly Requirement[];
  /** Whether the endings of receivers have their special behaviour. Load tests set `magic` to false. Default: true. */
  readonly magic?: boolean;
  /** The ending whose behaviour is used for all other receivers. Default: messages to them are delivered. */
  readonly ordinary?: string;
  /** The format of message ids in answers. Default: decimal. */
  readonly messageIds?: IdForm;
  /** The format of message ids in receipts. Default: the same format as in answers. */
  readonly receiptIds?: IdForm;
  /** For tests: returns the behaviour for a message before the table of endings is asked; undefined asks the table. */
  readonly behaviourOf?: (pdu: Submit) => Behaviour | undefined;
  /** For tests: returns whether the test answers this message itself, with the methods of `held`. */
  readonly holdAnswer?: (held: HeldAnswer) => boolean;
}

/** A message that the simulator has read and not answered yet. */
export interface HeldAnswer {
  /** The number of the message's session in the journal. */
  readonly session: number;
  /** Whether the simulator has ended the connection. */
  readonly isGone: boolean;
  /** Writes the message to the journal and sends its planned answer at once. */
  send(): void;
  /** Writes the message to the journal as one without an answer. */
  lose(): void;
  /** Ends the connection, after all answers that were sent. */
  end(by: ConnectionEnd): void;
}

const defaults = {
  host: '127.0.0.1',
  receiptDelayMs: 500,
  retryMs: 1000,
  answerDelayMs: 0,
  journalTexts: false,
  bindsMax: Infinity,
  throttleChance: 0,
  window: Infinity,
  requirements: [],
  magic: true,
  messageIds: 'decimal',
} as const satisfies Partial<SimulatorOptions>;

/** The options, with the default values for missing options. */
export type Settings = SimulatorOptions & Required<Pick<SimulatorOptions, keyof typeof defaults>>;

export function withDefaults(options: SimulatorOptions): Settings {
  return { ...defaults, ...options };
}

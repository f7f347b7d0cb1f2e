import type { SessionOptions, ServerTls } from '@morsel/smpp';
import type { AnswerOrderOptions } from './answer/answer-order.ts';
import type { BindOptions } from './answer/binds.ts';
import type { ClosingOptions } from './answer/closing.ts';
import type { Demand } from './requirements.ts';
import type { IdForm } from './delivery/ids.ts';
import type { JournalEntry } from './journal.ts';
import type { Unanswered } from './answer/wire.ts';

/*
 * The options of the simulator and their defaults.
 */

export interface SimulatorOptions extends Partial<BindOptions>, Partial<AnswerOrderOptions> {
  /** The TCP port; 0 selects any free port. */
  readonly port: number;
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** If set, the simulator accepts only TLS connections. */
  readonly tls?: ServerTls;
  /** The time from a submit_sm to its receipt. Default: 500 ms. */
  readonly receiptDelayMs?: number;
  /** The time after which a receipt or inbound message without acknowledgement is sent again. Default: 1 s. */
  readonly retryMs?: number;
  /** A file to which the journal is appended, or a function that is called with each entry. */
  readonly journal?: string | ((entry: JournalEntry) => void);
  /** Whether the journal contains the texts of messages. Default: false. */
  readonly journalTexts?: boolean;
  /** The most submit_sm in a second. Further submit_sm are refused with ESME_RTHROTTLED. Default: no limit. */
  readonly throughput?: number;
  /**
   * How long all submit_sm are refused after the throughput was exceeded. Each submit_sm that is refused in that time
   * starts the time again. Default: 0.
   */
  readonly throttlePenaltyMs?: number;
  /** The share of submit_sm, from 0 to 1, that are refused at random with ESME_RTHROTTLED. Default: 0. */
  readonly throttleChance?: number;
  /**
   * The most submit_sm of one session that may wait for an answer. Further submit_sm are refused with ESME_RMSGQFUL.
   * Default: no limit.
   */
  readonly window?: number;
  /** Demands on submit_sm. A message that does not meet all demands is refused. Default: no demands. */
  readonly demands?: readonly Demand[];
  /** Whether magic receivers have their special behaviour. Load tests set `magic` to false. Default: true. */
  readonly magic?: boolean;
  /**
   * The magic ending whose behaviour is used for all receivers that are not magic. Default: messages to these receivers
   * are accepted and delivered.
   */
  readonly ordinary?: string;
  /** The format of message ids in answers. Default: decimal. */
  readonly messageIds?: IdForm;
  /** The format of message ids in receipts. Default: the same format as in answers. */
  readonly receiptIds?: IdForm;
  /**
   * While this many receipts and inbound messages are not acknowledged, submit_sm are refused with ESME_RMSGQFUL.
   * Default: 100,000.
   */
  readonly deliveriesMax?: number;
  /** Ends a connection after only half of the waiting answers were sent. */
  readonly closing?: ClosingOptions;
  /** The requests that get no answer from the simulator. Default: all requests are answered. */
  readonly unanswered?: readonly Unanswered[];
  readonly session?: SessionOptions;
}

export const defaults = {
  host: '127.0.0.1',
  receiptDelayMs: 500,
  retryMs: 1000,
  journalTexts: false,
  throttlePenaltyMs: 0,
  throttleChance: 0,
  window: Infinity,
  demands: [],
  magic: true,
  messageIds: 'decimal',
  deliveriesMax: 100_000,
  unanswered: [],
  answerDelayMs: 0,
  answers: 'in_order',
  bindsMax: Infinity,
  version: 0x50,
} as const satisfies Partial<SimulatorOptions>;

/** The options, with the default values for missing options. */
export type Settings = SimulatorOptions & Required<Pick<SimulatorOptions, keyof typeof defaults>>;

import type { SessionOptions, ServerTls } from '@morsel/smpp';
import type { AnswerOrderOptions } from './answer/answer-order.ts';
import type { BindOptions } from './answer/binds.ts';
import type { ClosingOptions } from './answer/closing.ts';
import type { Demand } from './answer/demands.ts';
import type { IdForm } from './delivery/ids.ts';
import type { JournalEntry } from './journal.ts';
import type { Unanswered } from './answer/wire.ts';

/*
 * The options of the simulator and their defaults.
 */

export interface SimulatorOptions extends Partial<BindOptions>, Partial<AnswerOrderOptions> {
  /** 0 for any free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** If set, the port speaks only TLS. */
  readonly tls?: ServerTls;
  /** Time from a submit_sm to its receipt. Default: 500 ms. */
  readonly receiptDelayMs?: number;
  /** Time until a delivery that was not acknowledged is sent again. Default: 1 s. */
  readonly retryMs?: number;
  /** A file to append entries to, or a function that gets them. */
  readonly journal?: string | ((entry: JournalEntry) => void);
  /** Whether the journal contains the texts of messages. Default: false. */
  readonly journalTexts?: boolean;
  /** The most submit_sm in a second. Further ones get ESME_RTHROTTLED. Default: no limit. */
  readonly throughput?: number;
  /** A client that was too fast is refused for this time. Each submit_sm in it extends it. Default: 0. */
  readonly throttlePenaltyMs?: number;
  /** The share of submit_sm, from 0 to 1, that get ESME_RTHROTTLED at random. Default: 0. */
  readonly throttleChance?: number;
  /** The most submit_sm of one session without an answer. Further ones get ESME_RMSGQFUL. Default: no limit. */
  readonly window?: number;
  /** Demands on submit_sm. Messages that do not meet them are refused. Default: none. */
  readonly demands?: readonly Demand[];
  /** If false, no receiver is magic, as a load test needs it. Default: true. */
  readonly magic?: boolean;
  /** The magic ending whose behaviour all other numbers get. Default: accepted and delivered. */
  readonly ordinary?: string;
  /** The spelling of message ids in answers. Default: decimal. */
  readonly messageIds?: IdForm;
  /** The spelling of message ids in receipts. Default: the same as in answers. */
  readonly receiptIds?: IdForm;
  /** While this many deliveries are not acknowledged, submit_sm gets ESME_RMSGQFUL. Default: 100,000. */
  readonly deliveriesMax?: number;
  /** Ends a connection in the middle of its window, with half of the answers sent. */
  readonly closing?: ClosingOptions;
  /** The requests that get no answer. Default: none. */
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

/** The options with all defaults. */
export type Settings = SimulatorOptions & Required<Pick<SimulatorOptions, keyof typeof defaults>>;

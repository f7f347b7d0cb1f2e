import type { SessionOptions, ServerTls } from '@morsel/smpp';
import type { AnswerOrderOptions } from './answer/answer-order.ts';
import type { BindOptions } from './answer/binds.ts';
import type { ClosingOptions } from './answer/closing.ts';
import type { Demand } from './answer/demands.ts';
import type { IdForm } from './delivery/ids.ts';
import type { JournalEntry } from './journal.ts';
import type { Unanswered } from './answer/wire.ts';

export interface SimulatorOptions extends Partial<BindOptions>, Partial<AnswerOrderOptions> {
  /** 0 for any free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Speaks TLS alone on its port. */
  readonly tls?: ServerTls;
  /** Default 500 ms. */
  readonly receiptDelayMs?: number;
  /** After which a delivery that was not acknowledged is sent again. Default 1 s. */
  readonly retryMs?: number;
  /** A file to append to, or a function. */
  readonly journal?: string | ((entry: JournalEntry) => void);
  /** Texts in the journal, for tests. */
  readonly journalTexts?: boolean;
  /** submit_sm a second; more are answered ESME_RTHROTTLED. */
  readonly throughput?: number;
  /** Who was too fast is refused so long, and longer for every submit_sm in that time. Default 0. */
  readonly throttlePenaltyMs?: number;
  /** The share of submit_sm, from 0 to 1, that get ESME_RTHROTTLED by chance, however slowly they come. Default 0. */
  readonly throttleChance?: number;
  /** submit_sm of one session without an answer, above which they get ESME_RMSGQFUL. Default no limit. */
  readonly window?: number;
  /** What a submit_sm has to be like; others are refused. Default nothing. */
  readonly demands?: readonly Demand[];
  /** false: no number is special. For load, whose numbers end in whatever they do. */
  readonly magic?: boolean;
  /** The magic ending whose behaviour every ordinary number has. */
  readonly ordinary?: string;
  /** Default decimal. */
  readonly messageIds?: IdForm;
  /** Where receipts spell them otherwise than answers do. */
  readonly receiptIds?: IdForm;
  /** Receipts and inbound messages without acknowledgement, at which submit_sm gets ESME_RMSGQFUL. Default 100,000. */
  readonly deliveriesMax?: number;
  /** Ends a connection in the middle of its window, with half of the answers sent. */
  readonly closing?: ClosingOptions;
  /** Requests that get no answer. */
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

/** With the defaults filled in. */
export type Settings = SimulatorOptions & Required<Pick<SimulatorOptions, keyof typeof defaults>>;

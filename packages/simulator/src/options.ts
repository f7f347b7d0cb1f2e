import type { ServerTls } from '@morsel/smpp';
import type { Submit } from './answering.ts';
import type { JournalEntry } from './journal.ts';
import type { Behaviour } from './plans.ts';

/* The options of the simulator and their defaults. */

/** Some carriers write an id in decimal in the answer and in hexadecimal in the receipt. */
export type IdForm = 'decimal' | 'hex';

export interface SimulatorOptions {
  /** The port to listen on; 0 selects any free port. */
  readonly port: number;
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** If set, the simulator accepts only TLS connections. */
  readonly tls?: ServerTls;
  /** The system_id that may bind. Default: any. */
  readonly systemId?: string;
  readonly password?: string;
  /** The most sessions. Further binds are refused with ESME_RALYBND. Default: no limit. */
  readonly bindsMax?: number;
  /** Time from the submit_sm to its receipt. Default: 500 ms. */
  readonly receiptDelayMs?: number;
  /** Time without acknowledgement until a delivery is repeated. Default: 1 s. */
  readonly retryMs?: number;
  /** Time from the submit_sm to its answer. Default: 0. */
  readonly answerDelayMs?: number;
  /** A file to which entries are appended, or a function that is called with each. */
  readonly journal?: string | ((entry: JournalEntry) => void);
  /** Whether the journal has the texts of messages. Default: false. */
  readonly journalTexts?: boolean;
  /** Most submit_sm in a second. Further ones are refused with ESME_RTHROTTLED. Default: no limit. */
  readonly throughput?: number;
  /** The share of submit_sm, from 0 to 1, that is refused at random with ESME_RTHROTTLED. Default: 0. */
  readonly throttleChance?: number;
  /** The most unanswered submit_sm of one session. More are refused with ESME_RMSGQFUL. Default: no limit. */
  readonly window?: number;
  /** Whether endings of receivers have their special behaviour. Load tests set this to false. Default: true. */
  readonly magic?: boolean;
  /** The ending whose behaviour receivers without an ending get. Default: their messages are delivered. */
  readonly ordinary?: string;
  /** The form of message ids in answers. Default: decimal. */
  readonly messageIds?: IdForm;
  /** The form of message ids in receipts. Default: as in answers. */
  readonly receiptIds?: IdForm;
  /** For tests: chooses the behaviour before the table of endings; if it returns undefined, the table chooses. */
  readonly behaviourOf?: (pdu: Submit) => Behaviour | undefined;
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
  magic: true,
  messageIds: 'decimal',
} as const satisfies Partial<SimulatorOptions>;

export type Settings = SimulatorOptions & Required<Pick<SimulatorOptions, keyof typeof defaults>>;

export function withDefaults(options: SimulatorOptions): Settings {
  return { ...defaults, ...options };
}

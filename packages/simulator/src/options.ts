import type { ServerTls } from '@morsel/smpp';
import type { Submit } from './answering.ts';
import type { JournalEntry } from './journal.ts';
import type { Behaviour, ConnectionEnd } from './plans.ts';
import type { Requirement } from './requirements.ts';

/* The options of the simulator and their defaults. */

/** Some carriers write an id in decimal in the answer and in hexadecimal in the receipt. */
export type IdForm = 'decimal' | 'hex';

export interface SimulatorOptions {
  /** 0 selects any free port. */
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** If set, the simulator accepts only TLS connections. */
  readonly tls?: ServerTls;
  /** Default: any. */
  readonly systemId?: string;
  readonly password?: string;
  /** Further binds are refused with ESME_RALYBND. Default: no limit. */
  readonly bindsMax?: number;
  /** Time from the submit_sm to its receipt. Default: 500 ms. */
  readonly receiptDelayMs?: number;
  /** Time without acknowledgement until a delivery is repeated. Default: 1 s. */
  readonly retryMs?: number;
  /** Time from the submit_sm to its answer. Default: 0. */
  readonly answerDelayMs?: number;
  /** A file to which entries are appended, or a function that is called with each. */
  readonly journal?: string | ((entry: JournalEntry) => void);
  /** Default: false. */
  readonly journalTexts?: boolean;
  /** Most submit_sm in a second. Further ones are refused with ESME_RTHROTTLED. Default: no limit. */
  readonly throughput?: number;
  /** Share from 0 to 1 that is refused at random with ESME_RTHROTTLED. Default: 0. */
  readonly throttleChance?: number;
  /** Unanswered submit_sm of one session. More are refused with ESME_RMSGQFUL. Default: no limit. */
  readonly window?: number;
  /** A message that does not meet all requirements is refused. Default: none. */
  readonly requirements?: readonly Requirement[];
  /** Endings of receivers have their special behaviour. Load tests set this to false. Default: true. */
  readonly magic?: boolean;
  /** Default: messages to receivers without an ending are delivered. */
  readonly ordinary?: string;
  /** Default: decimal. */
  readonly messageIds?: IdForm;
  /** Default: as in answers. */
  readonly receiptIds?: IdForm;
  /** For tests: asked before the table of endings; undefined asks the table. */
  readonly behaviourOf?: (pdu: Submit) => Behaviour | undefined;
  /** For tests: true if the test answers this message itself, with the methods of `held`. */
  readonly holdAnswer?: (held: HeldAnswer) => boolean;
}

/** A message that was read and not answered yet. */
export interface HeldAnswer {
  /** Number of the session in the journal. */
  readonly session: number;
  readonly isGone: boolean;
  /** The answer has an entry in the journal. */
  send(): void;
  /** The journal has an entry without an answer. */
  lose(): void;
  /** Ends the connection after all answers that were sent. */
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

export type Settings = SimulatorOptions & Required<Pick<SimulatorOptions, keyof typeof defaults>>;

export function withDefaults(options: SimulatorOptions): Settings {
  return { ...defaults, ...options };
}

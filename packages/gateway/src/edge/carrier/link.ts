import { ConnectError, EncodeError, statusName } from '@morsel/smpp';
import type { Answer, Pdu, PduOf, RequestName, Respond } from '@morsel/smpp';
import type { Carrier } from '../../core/carrier.ts';
import type { OutgoingPart, SendingLink, Sent } from '../../flow/dispatch.ts';
import type { Instant } from '../../core/time.ts';
import { bindLink } from './bind.ts';
import type { LinkSession } from './bind.ts';
import { Pace } from './pace.ts';
import { submitSm } from './submit-sm.ts';

export interface LinkNeeds {
  readonly clock: { now(): Instant };
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** deliver_sm and data_sm of the carrier. */
  readonly onRequest: (pdu: PduOf<RequestName>, respond: Respond) => void;
  /** There is room again, or the link is bound again. */
  readonly onRoom: () => void;
  /** An answer that came after its part was given up as unanswered. */
  readonly onLateAnswer: (part: OutgoingPart, answer: Extract<Sent, { kind: 'answered' }>) => void;
}

/** What `carrier show` tells of a link. */
export interface LinkStatus {
  readonly link: number;
  readonly state: 'connecting' | 'bound' | 'throttled' | 'waiting' | 'stopped';
  readonly since: number;
  readonly windowUsed: number;
  readonly windowMax: number;
  readonly throttles: number;
  readonly reconnects: number;
  readonly lastError: string | null;
}

/** After wrong credentials: trying again fast only gets an address banned (smpp-in-the-wild, 8). */
const credentialsBackOffMs = 60_000;
const throttleMinMs = 500;
const throttleMaxMs = 10_000;
/** Late answers that are waited for at once. */
const lateMax = 10_000;

/** ESME_RUNKNOWNERR, for a refusal that does not say why. */
const unknownError = 0xff;

const wrongCredentials = new Set([0x0e /* ESME_RINVPASWD */, 0x0f /* ESME_RINVSYSID */]);

/** One bind to a carrier, kept up: it connects again whenever it ends, until it is stopped. */
export class Link implements SendingLink {
  readonly number: number;
  #carrier: Carrier;
  readonly #needs: LinkNeeds;
  #pace: Pace;
  readonly #stopping = new AbortController();
  readonly #late = new Map<number, OutgoingPart>();
  #session: LinkSession | undefined;
  #state: LinkStatus['state'] = 'connecting';
  #since = Date.now();
  #reserved = 0;
  #failures = 0;
  #throttles = 0;
  #reconnects = 0;
  #pauseMs = 0;
  #pausedUntil = 0;
  #wakeTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #lastError: string | null = null;

  constructor(carrier: Carrier, number: number, needs: LinkNeeds) {
    this.number = number;
    this.#carrier = carrier;
    this.#needs = needs;
    this.#pace = new Pace(carrier.throughput, performance.now());
  }

  start(): void {
    void this.#connect();
  }

  /** Goes by changed settings; those of the bind itself from the next bind on. */
  use(carrier: Carrier): void {
    if (carrier.throughput !== this.#carrier.throughput) this.#pace = new Pace(carrier.throughput, performance.now());
    this.#carrier = carrier;
  }

  get status(): LinkStatus {
    const isThrottled = this.#state === 'bound' && performance.now() < this.#pausedUntil;
    return {
      link: this.number,
      state: isThrottled ? 'throttled' : this.#state,
      since: this.#since,
      windowUsed: this.#session?.inFlight ?? 0,
      windowMax: this.#carrier.window,
      throttles: this.#throttles,
      reconnects: this.#reconnects,
      lastError: this.#lastError,
    };
  }

  /** How many parts may be claimed for this link now: window, throughput and throttling taken together. */
  get room(): number {
    const session = this.#session;
    if (!session || this.#state !== 'bound') return 0;
    const now = performance.now();
    if (now < this.#pausedUntil) {
      this.#wakeIn(this.#pausedUntil - now);
      return 0;
    }
    const window = session.room - this.#reserved;
    if (window <= 0) return 0;
    const leave = this.#pace.available(now);
    if (leave < 1) this.#wakeIn(this.#pace.waitMs(now));
    return Math.min(window, leave);
  }

  /** Keeps room for parts whose claim is being written. Each is sent or released afterwards. */
  reserve(count: number): void {
    this.#reserved += count;
    this.#pace.take(count);
  }

  release(count: number): void {
    this.#reserved -= count;
    this.#pace.giveBack(count);
    if (count > 0) this.#needs.onRoom();
  }

  /** Sends a part for which room was reserved. Its claim is on disk already (S1). */
  send(part: OutgoingPart, tell: (sent: Sent) => void): void {
    this.#reserved -= 1;
    const session = this.#session;
    if (!session || session.room <= 0 || performance.now() < this.#pausedUntil) {
      this.#pace.giveBack(1);
      tell({ kind: 'unsent' });
      return;
    }
    try {
      session.ask(submitSm(part, this.#carrier.profile, this.#needs.clock.now()), (answer) =>
        tell(this.#sent(part, answer)),
      );
    } catch (fault) {
      if (!(fault instanceof EncodeError)) throw fault;
      this.#needs.log.error(
        { ...this.#fields(), message: part.message, field: fault.field },
        'a part cannot be written as submit_sm',
      );
      tell({ kind: 'unsendable', errorCode: `unsendable ${fault.field}` });
    }
  }

  #sent(part: OutgoingPart, answer: Answer<'submit_sm'>): Sent {
    switch (answer.kind) {
      case 'answered':
        return answered(answer.pdu);
      case 'closed':
        return { kind: answer.written ? 'unanswered' : 'unsent' };
      case 'timeout':
        if (this.#late.size < lateMax) this.#late.set(answer.sequence_number, part);
        return { kind: 'unanswered' };
    }
  }

  /** The carrier said that it is busy: the whole link waits, longer each time, and keeps its order (S6). */
  slowDown(): void {
    const now = performance.now();
    this.#throttles += 1;
    if (now < this.#pausedUntil) return;
    this.#pauseMs = Math.min(throttleMaxMs, Math.max(throttleMinMs, this.#pauseMs * 2));
    this.#pausedUntil = now + this.#pauseMs;
    this.#wakeIn(this.#pauseMs);
  }

  /** The carrier takes messages again. */
  speedUp(): void {
    this.#pauseMs = 0;
    this.#failures = 0;
  }

  /** Takes nothing new, waits for what is in flight as long as its answers may take, unbinds. */
  async drain(): Promise<void> {
    const session = this.#session;
    this.#enter('stopped');
    this.#stopping.abort();
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#wakeTimer);
    if (session) await session.unbind();
  }

  /** Ends it at once: what has no answer is in doubt. */
  destroy(): void {
    this.#enter('stopped');
    this.#stopping.abort();
    this.#session?.destroy();
  }

  async #connect(): Promise<void> {
    this.#enter('connecting');
    try {
      const session = await bindLink(this.#carrier, {
        windowMax: this.#carrier.window,
        responseTimeoutMs: this.#carrier.profile.answerTimeoutMs,
        enquireLinkMs: this.#carrier.profile.enquireLinkMs,
        onRequest: this.#needs.onRequest,
        onClose: (reason) => this.#closed(reason),
        onRoom: this.#needs.onRoom,
        onStray: (pdu, late) => this.#stray(pdu, late),
        signal: this.#stopping.signal,
      });
      if (this.#stopping.signal.aborted) {
        session.destroy();
        return;
      }
      this.#session = session;
      this.#enter('bound');
      this.#needs.log.info(this.#fields(), 'link is bound');
      this.#needs.onRoom();
    } catch (fault) {
      if (!(fault instanceof ConnectError)) throw fault;
      this.#refused(fault);
    }
  }

  #refused(fault: ConnectError): void {
    if (this.#state === 'stopped') return;
    const isWrong = fault.command_status !== undefined && wrongCredentials.has(fault.command_status);
    this.#lastError = fault.message;
    const waitMs = isWrong ? credentialsBackOffMs : this.#backOffMs();
    const log = this.#needs.log;
    const fields = { ...this.#fields(), error: fault.message, waitMs: Math.round(waitMs) };
    if (isWrong) log.error(fields, 'the carrier refuses our system_id or password: check them');
    else log.warn(fields, 'link is not bound');
    this.#retryIn(waitMs);
  }

  #closed(reason: string): void {
    this.#session = undefined;
    this.#late.clear();
    if (this.#state === 'stopped') return;
    this.#lastError = reason;
    const waitMs = this.#backOffMs();
    this.#needs.log.warn({ ...this.#fields(), reason, waitMs: Math.round(waitMs) }, 'link has ended');
    this.#retryIn(waitMs);
  }

  #retryIn(waitMs: number): void {
    this.#enter('waiting');
    this.#reconnects += 1;
    this.#retryTimer = setTimeout(() => void this.#connect(), waitMs);
  }

  /** Exponential, with jitter so that the links of many nodes do not come back at one moment. */
  #backOffMs(): number {
    const { backOffMinMs, backOffMaxMs } = this.#carrier.profile;
    const cap = Math.min(backOffMaxMs, backOffMinMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    return cap / 2 + (Math.random() * cap) / 2;
  }

  #stray(pdu: Pdu, isLate: boolean): void {
    const part = this.#late.get(pdu.sequence_number);
    if (!isLate || !part) return;
    this.#late.delete(pdu.sequence_number);
    if (pdu.command === 'submit_sm_resp' || pdu.command === 'generic_nack') {
      this.#needs.onLateAnswer(part, answered(pdu));
    }
  }

  #wakeIn(waitMs: number): void {
    if (this.#wakeTimer) return;
    this.#wakeTimer = setTimeout(
      () => {
        this.#wakeTimer = undefined;
        this.#needs.onRoom();
      },
      Math.max(1, Math.ceil(waitMs)),
    );
  }

  #enter(state: LinkStatus['state']): void {
    this.#state = state;
    this.#since = Date.now();
  }

  #fields(): object {
    return { carrier: this.#carrier.name, link: this.number };
  }
}

function answered(pdu: PduOf<'submit_sm_resp' | 'generic_nack'>): Extract<Sent, { kind: 'answered' }> {
  const commandStatus = pdu.command === 'generic_nack' ? pdu.command_status || unknownError : pdu.command_status;
  return {
    kind: 'answered',
    // A generic_nack is never an acceptance, whatever status it carries.
    commandStatus,
    errorCode: statusName(commandStatus),
    messageId: pdu.command === 'submit_sm_resp' ? (pdu.message_id ?? '') : '',
  };
}

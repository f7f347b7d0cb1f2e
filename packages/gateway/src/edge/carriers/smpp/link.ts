import {
  ConnectError,
  EncodeError,
  type Answer as Response,
  type CloseReason,
  type Fault,
  type Pdu,
  type Respond,
} from '@morsel/smpp';
import type { CarrierOf } from '../../../core/routing/carrier.ts';
import type { Answer } from '../../../core/message/outcome.ts';
import type { CarrierLink, LinkStatus, OutgoingPart } from '../../../flow/routing/carrier-link.ts';
import { unanswered, readAnswer, unsendable, unsent } from './answer.ts';
import { BackOff, credentialsBackOffMs, wrongCredentials, sessionLimits, sinkWhile, type LinkSession } from './bind.ts';
import { FlowControl } from './pace/flow-control.ts';
import { Gate } from './pace/gate.ts';
import type { LinkNeeds } from './link-needs.ts';
import { endWords, wordsOf } from './link-words.ts';
import { submitSm } from './submit-sm.ts';
import type { Timer } from '../../../runtime/clock.ts';
import { traceHeaders } from '../../trace-headers.ts';
import { UnreadableCount } from '../../unreadable-count.ts';
import { unreadableWords } from './unreadable.ts';
import { WakeTimer } from '../../../runtime/wake-timer.ts';

/* Binds, sends parts within the limits of the link, and binds again when the link ends. */

interface Sending {
  readonly part: OutgoingPart;
  readonly onAnswer: (answer: Answer) => void;
}

/** The most unanswered parts that a link remembers, in case the carrier answers after the timeout. */
const lateMax = 10_000;
/** How soon a link looks again whether its node may send. */
const uncertainMs = 50;

export class Link implements CarrierLink {
  readonly number: number;
  #carrier: CarrierOf<'smpp'>;
  readonly #needs: LinkNeeds;
  #flow: FlowControl;
  #gate: Gate<Sending> | undefined;
  readonly #backOff = new BackOff();
  readonly #late = new Map<number, OutgoingPart>();
  readonly #counts = { submitted: 0, accepted: 0, refused: 0, throttles: 0, surplus: 0, reconnects: 0 };
  readonly #unreadable = new UnreadableCount();
  #stopping = new AbortController();
  #session: LinkSession | undefined;
  #state: LinkStatus['state'] = 'stopped';
  #since: number;
  #downSince: number | null;
  #reserved = 0;
  /**
   * Grows with each bind and each throttling answer. A part that reserved its room before the last growth goes back to
   * the queue, so that throttled parts are sent first.
   */
  #turn = 0;
  readonly #wake: WakeTimer;
  #retryTimer: Timer | undefined;
  #retryAt = 0;
  #lastError: { readonly text: string; readonly at: number } | undefined;
  /** Whether the link shall bind again after the drain that is in progress. */
  #isWanted = false;
  #draining: Promise<void> | undefined;
  #watchers: (() => void)[] = [];

  constructor(carrier: CarrierOf<'smpp'>, number: number, needs: LinkNeeds) {
    this.number = number;
    this.#carrier = carrier;
    this.#needs = needs;
    this.#since = needs.clock.now();
    this.#downSince = this.#since;
    this.#wake = new WakeTimer(needs.clock, needs.onRoom);
    this.#flow = new FlowControl(carrier, this.#needs.clock.monotonicMs());
    this.#gate = this.#makeGate();
  }

  /** Uses new settings. Settings of the bind, such as the password, apply from the next bind on. */
  use(carrier: CarrierOf<'smpp'>): void {
    const before = this.#carrier;
    this.#carrier = carrier;
    this.#session?.adjust(sessionLimits(carrier));
    if (carrier.throughput !== before.throughput) {
      this.#flow = new FlowControl(carrier, this.#needs.clock.monotonicMs());
      if (this.#gate?.use(carrier.throughput) !== true) this.#gate = this.#makeGate();
    } else {
      this.#flow.useWindow(carrier.window);
    }
    this.#needs.onRoom();
  }

  /** Starts the link. Does nothing if the link has been started already. */
  start(): void {
    this.#isWanted = true;
    if (this.#state === 'stopped' && !this.#draining) this.#begin();
  }

  /** Binds the link again; a bound link drains first. Resolves when the link is bound, or when the bind has failed. */
  async rebind(): Promise<void> {
    if (!this.#isWanted) return;
    if (this.#state === 'waiting') this.#hurry();
    else {
      void this.drain();
      this.start();
    }
    await this.settled();
  }

  settled(): Promise<void> {
    const isSettled = !this.#draining && this.#state !== 'connecting';
    return isSettled ? Promise.resolve() : new Promise((resolve) => void this.#watchers.push(resolve));
  }

  get isBound(): boolean {
    return this.#state === 'bound';
  }

  get status(): LinkStatus {
    const pauseMs = this.#flow.pauseMs(this.#needs.clock.monotonicMs());
    const isThrottled = this.#state === 'bound' && pauseMs > 0;
    return {
      link: this.number,
      node: null,
      state: isThrottled ? 'throttled' : this.#state,
      since: this.#since,
      downSince: this.#downSince,
      windowUsed: this.#session?.inFlight ?? 0,
      windowMax: this.#carrier.window,
      pace: this.#flow.pace,
      throttledShare: this.#flow.throttledShare,
      chanceShare: this.#flow.chanceShare,
      throughput: this.#carrier.throughput,
      ...this.#counts,
      surplus: this.#counts.surplus + (this.#session?.peerRefused ?? 0),
      unreadable: this.#unreadable.all,
      nextTryAt: this.#state === 'waiting' ? this.#retryAt : null,
      pausedUntil: isThrottled ? this.#needs.clock.now() + Math.ceil(pauseMs) : null,
      lastError: this.#lastError?.text ?? null,
      lastErrorAt: this.#lastError?.at ?? null,
    };
  }

  get room(): number {
    const session = this.#session;
    if (!session || this.#state !== 'bound') return 0;
    const now = this.#needs.clock.monotonicMs();
    const onTheirWay = this.#reserved + (this.#gate?.held ?? 0);
    const room = Math.min(session.room - onTheirWay, this.#flow.room(now, session.inFlight + onTheirWay));
    // A part that is claimed while another node may have this node's work would be in doubt (P7).
    const isCertain = !this.#needs.whenCertain();
    if (room >= 1 && isCertain) return room;
    const waitMs = isCertain ? this.#flow.waitMs(now) : uncertainMs;
    if (waitMs > 0) this.#wake.in(now, waitMs);
    return 0;
  }

  /** Reserves room for parts while their claims are written to disk. The caller then sends each or frees its room. */
  reserveRoom(count: number): number {
    this.#reserved += count;
    this.#flow.take(count);
    return this.#turn;
  }

  freeRoom(count: number): void {
    this.#reserved -= count;
    this.#flow.giveBack(count);
    if (count > 0) this.#needs.onRoom();
  }

  /** Sends a part, whose claim is on disk already (S1). */
  send(part: OutgoingPart, turn: number, onAnswer: Sending['onAnswer']): void {
    this.#reserved -= 1;
    const now = this.#needs.clock.monotonicMs();
    if (turn !== this.#turn || !this.#maySend(now)) {
      this.#flow.giveBack(1);
      onAnswer(unsent);
    } else if (this.#gate) {
      this.#gate.pass({ part, onAnswer });
    } else {
      this.#ask(part, onAnswer, now);
    }
  }

  /** Adapts the pace to the answer. */
  #note({ outcome }: Answer, sentAt: number): void {
    const now = this.#needs.clock.monotonicMs();
    switch (outcome) {
      case 'accepted':
        this.#counts.accepted += 1;
        this.#backOff.reset();
        this.#flow.accepted(now, sentAt);
        return;
      case 'busy':
        this.#counts.throttles += 1;
        this.#flow.throttled(now, sentAt);
        this.#turn += 1;
        this.#gate?.close();
        return;
      default:
        this.#counts.refused += 1;
    }
  }

  /** Waits for the answers to parts in flight, unbinds, and stays unbound. */
  drain(): Promise<void> {
    this.#isWanted = false;
    if (this.#state === 'stopped' && !this.#draining) return Promise.resolve();
    this.#draining ??= this.#end().then(() => {
      this.#draining = undefined;
      // `start` may have been called during the drain.
      if (this.#isWanted) this.#begin();
      else this.#enter('stopped');
    });
    return this.#draining;
  }

  /** Ends the link at once. Parts that the carrier has not answered are then in doubt. */
  destroy(): void {
    this.#isWanted = false;
    this.#stop('stopped');
    this.#session?.destroy();
  }

  async #end(): Promise<void> {
    const session = this.#session;
    this.#stop(session ? 'draining' : 'stopped');
    this.#gate?.sendHeld();
    if (session) await session.unbind();
  }

  #stop(state: LinkStatus['state']): void {
    this.#enter(state);
    this.#stopping.abort();
    this.#retryTimer?.cancel();
    this.#wake.forget();
  }

  /** Connects now instead of after the wait, because the operator may have fixed the cause. */
  #hurry(): void {
    this.#retryTimer?.cancel();
    void this.#connect();
  }

  #begin(): void {
    this.#stopping = new AbortController();
    this.#backOff.reset();
    void this.#connect();
  }

  #makeGate(): Gate<Sending> | undefined {
    if (this.#carrier.throughput === 0) return undefined;
    return new Gate<Sending>(this.#carrier.throughput, {
      clock: this.#needs.clock,
      isOpen: (now) => this.#state === 'bound' && this.#session !== undefined && this.#mayGoOn(now),
      send: ({ part, onAnswer }, now) => this.#ask(part, onAnswer, now),
      giveBack: ({ onAnswer }) => onAnswer(unsent),
    });
  }

  #maySend(now: number): boolean {
    return this.#mayGoOn(now) && (this.#session?.room ?? 0) > (this.#gate?.held ?? 0);
  }

  #mayGoOn(now: number): boolean {
    return !this.#flow.isPaused(now) && !this.#needs.whenCertain();
  }

  #ask(part: OutgoingPart, onAnswer: Sending['onAnswer'], sentAt: number): void {
    const session = this.#session;
    if (!session) {
      onAnswer(unsent);
      return;
    }
    try {
      session.ask(submitSm(part, this.#carrier.settings.profile, this.#needs.clock.now()), (response) =>
        onAnswer(this.#answerOf(part, response, sentAt)),
      );
      this.#counts.submitted += 1;
    } catch (fault) {
      if (!(fault instanceof EncodeError)) throw fault;
      this.#needs.log.error(
        { ...this.#fields(), message: part.message, field: fault.field },
        'part cannot be written as submit_sm',
      );
      onAnswer(unsendable(fault.field));
    }
  }

  #answerOf(part: OutgoingPart, response: Response<'submit_sm'>, sentAt: number): Answer {
    switch (response.kind) {
      case 'answered': {
        const answer = readAnswer(response.pdu, this.#carrier.settings.profile.statusClasses);
        this.#note(answer, sentAt);
        return answer;
      }
      case 'closed':
        return response.written ? unanswered : unsent;
      case 'timeout':
        if (this.#late.size < lateMax) this.#late.set(response.sequence_number, part);
        return unanswered;
    }
  }

  async #connect(): Promise<void> {
    this.#enter('connecting');
    try {
      const { signal } = this.#stopping;
      const session = await this.#needs.bind(this.#carrier.settings, {
        ...sessionLimits(this.#carrier),
        sink: (socket) => sinkWhile(this.#needs, socket),
        onRequest: this.#needs.onRequest,
        ...traceHeaders(this.#needs.log, this.#fields()),
        onUnreadable: (fault, respond, bytes) => this.#cannotRead(fault, respond, bytes),
        onClose: (reason) => this.#closed(reason),
        onRoom: this.#needs.onRoom,
        onStray: (pdu, late) => this.#stray(pdu, late),
        signal,
      });
      // The session may have ended before the promise of `bindLink` resolved.
      if (signal.aborted || this.#state !== 'connecting') return session.destroy();
      this.#session = session;
      this.#turn += 1;
      this.#enter('bound');
      this.#needs.log.info(this.#fields(), 'link bound');
      this.#needs.onRoom();
    } catch (fault) {
      if (!(fault instanceof ConnectError)) throw fault;
      this.#refused(fault);
    }
  }

  #refused(fault: ConnectError): void {
    if (fault.failure === 'aborted' || this.#state !== 'connecting') return;
    const isWrong = fault.command_status !== undefined && wrongCredentials.has(fault.command_status);
    const error = wordsOf(fault, this.#carrier.settings.profile.tls !== 'off');
    this.#lastError = { text: error, at: this.#needs.clock.now() };
    const waitMs = isWrong
      ? credentialsBackOffMs
      : this.#backOff.nextMs(this.#carrier.settings.profile, this.#needs.random.chance());
    const log = this.#needs.log;
    const fields = { ...this.#fields(), error, waitMs: Math.round(waitMs) };
    if (isWrong) log.error(fields, 'bind refused: check system_id and password');
    else log.warn(fields, 'bind failed');
    this.#retryIn(waitMs);
  }

  #closed(reason: CloseReason): void {
    this.#counts.surplus += this.#session?.peerRefused ?? 0;
    this.#session = undefined;
    this.#late.clear();
    this.#gate?.sendHeld();
    if (this.#state !== 'bound' && this.#state !== 'connecting') return;
    this.#lastError = { text: endWords(reason, this.#needs.clock.now() - this.#since), at: this.#needs.clock.now() };
    const waitMs = this.#backOff.nextMs(this.#carrier.settings.profile, this.#needs.random.chance());
    this.#needs.log.warn({ ...this.#fields(), reason, waitMs: Math.round(waitMs) }, 'link ended');
    this.#retryIn(waitMs);
  }

  #retryIn(waitMs: number): void {
    this.#enter('waiting');
    this.#counts.reconnects += 1;
    this.#retryAt = this.#needs.clock.now() + waitMs;
    this.#retryTimer = this.#needs.clock.setTimer(() => void this.#connect(), waitMs);
  }

  #stray(pdu: Pdu, isLate: boolean): void {
    const part = this.#late.get(pdu.sequence_number);
    if (!isLate || !part) return;
    this.#late.delete(pdu.sequence_number);
    if (pdu.command === 'submit_sm_resp' || pdu.command === 'generic_nack') {
      this.#needs.onLateAnswer(part, readAnswer(pdu, this.#carrier.settings.profile.statusClasses));
    }
  }

  #cannotRead(fault: Fault, respond: Respond, bytes: Uint8Array): void {
    this.#lastError = { text: unreadableWords(fault), at: this.#needs.clock.now() };
    const count = this.#unreadable.add(this.#needs.clock.monotonicMs());
    const fields = { ...this.#fields(), reason: fault.reason, count };
    if (count !== undefined)
      this.#needs.log.warn(fields, 'unreadable PDU from the carrier; stored as an unmatched receipt');
    this.#needs.onUnreadable(respond, bytes);
  }

  #enter(state: LinkStatus['state']): void {
    this.#state = state;
    this.#since = this.#needs.clock.now();
    this.#downSince = state === 'bound' ? null : (this.#downSince ?? this.#since);
    const { log } = this.#needs;
    if (log.isLevelEnabled?.('debug')) log.debug?.({ ...this.#fields(), state }, 'link state');
    if (state === 'connecting' || state === 'draining' || this.#draining) return;
    for (const wake of this.#watchers.splice(0)) wake();
  }

  #fields(): object {
    return { carrier: this.#carrier.name, link: this.number };
  }
}

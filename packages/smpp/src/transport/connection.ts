import type { Socket } from 'node:net';
import { type ResponseOf, responseName } from '../codec/commands.ts';
import { decode, headerOf } from '../codec/decode.ts';
import { Framer } from '../codec/framer.ts';
import { Intake } from './intake.ts';
import { endLater, Outbox } from './outbox.ts';
import type { Encodable, Fault, PduOf } from '../codec/pdu.ts';
import {
  type Answer,
  type Ask,
  type AskName,
  type BindHooks,
  type Respond,
  type Session,
  type SessionAdjustment,
  type SessionHandlers,
  type SessionOptions,
  sessionDefaults,
} from '../session/session-contract.ts';
import {
  type Bind,
  type BindName,
  type CloseReason,
  type NumberedRequest,
  type Phase,
  type Role,
  type SessionAction,
  type SessionEvent,
  type SessionState,
  type Version,
  isBound,
  isOrderly,
  openSession,
} from '../session/session-state.ts';
import { step } from '../session/session.ts';
import { Ticker } from './ticker.ts';
import { type Place, unboundOutputOctets, unboundPduLengthMax } from './lobby.ts';
import { Window, type Waiting } from '../session/window.ts';

/**
 * Runs one session over one socket: reads and writes PDUs, carries out the actions of the state machine, and calls the
 * handlers of the session's owner.
 */
export class Connection implements Session {
  readonly closed: Promise<CloseReason>;
  readonly #socket: Socket;
  #options: Required<SessionOptions>;
  readonly #hooks: BindHooks;
  readonly #state: SessionState<Waiter>;
  readonly #framer = new Framer();
  readonly #intake: Intake;
  readonly #outbox: Outbox;
  readonly #ticker = new Ticker((elapsedMs) => this.#tick(elapsedMs));
  readonly #resolveClosed: (reason: CloseReason) => void;
  #handlers: SessionHandlers;
  /** The octets of the PDU that is being handled. */
  #bytes: Uint8Array = nothing;
  #peer: Session['peer'];
  /** The clock of the session in milliseconds. The clock stops while reading is paused. */
  #now = 0;
  #pausedMs = 0;
  #stalledMs = 0;
  #wasFull = false;
  #wasBound = false;
  #error: Error | undefined;

  constructor(
    role: Role,
    given: {
      readonly socket: Socket;
      readonly peer: Place['client'];
      readonly options: SessionOptions;
      readonly handlers: SessionHandlers;
      readonly hooks: BindHooks;
    },
  ) {
    this.#socket = given.socket;
    this.#peer = { system_id: '', ...given.peer };
    this.#options = { ...sessionDefaults, ...given.options };
    this.#handlers = given.handlers;
    this.#hooks = given.hooks;
    this.#intake = new Intake(given.socket, {
      isReading: () => this.#isReading,
      behindMsMax: () => this.#options.peerBehindMs,
      behind: () => this.#run({ kind: 'behind' }),
      caughtUp: () => {
        if (this.#state.refusing) this.#run({ kind: 'caught_up' });
      },
    });
    this.#outbox = new Outbox(this.#options.sink(given.socket));
    const window = new Window<Waiter>({ max: this.#options.windowMax, first: this.#options.firstSequence });
    this.#state = openSession(role, { limits: this.#options, window, now: 0 });
    const { promise, resolve } = Promise.withResolvers<CloseReason>();
    this.closed = promise;
    this.#resolveClosed = resolve;
    this.#ticker.use(this.#options);
    if (role === 'server') this.#framer.lengthMax = unboundPduLengthMax;
    this.#listen();
  }

  get phase(): Phase {
    return this.#state.phase;
  }

  get boundAs(): BindName | undefined {
    return this.#state.boundAs;
  }

  get version(): Version {
    return this.#state.version;
  }

  get peer(): Session['peer'] {
    return this.#peer;
  }

  get room(): number {
    const { phase, peerEnded, window } = this.#state;
    if (!isBound(phase) || peerEnded || this.#outbox.waiting >= this.#options.outputHighOctets) return 0;
    return window.room;
  }

  get inFlight(): number {
    return this.#state.window.size;
  }

  get peerUnanswered(): number {
    return this.#state.peerUnanswered;
  }

  get peerRefused(): number {
    return this.#state.peerRefused;
  }

  get silentMs(): number {
    return this.#now - this.#state.heardAt;
  }

  request<C extends AskName>(pdu: Ask & { readonly command: C }): Promise<Answer<C>> {
    return new Promise((settle) => this.ask(pdu, settle));
  }

  ask<C extends AskName>(pdu: Ask & { readonly command: C }, hear: (answer: Answer<C>) => void): void {
    const { window } = this.#state;
    if (!isBound(this.#state.phase)) {
      hear({ kind: 'closed', written: false });
      return;
    }
    if (this.room <= 0) throw new RangeError('the window of the session is full; check `room` before each request');
    // Adds one tick, because the session's clock may be late by one tick.
    const deadline = this.#now + this.#ticker.ms + this.#options.responseTimeoutMs;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the session checks that the answer belongs to the command of the request
    const settle = hear as Waiter['settle'];
    const { sequence_number } = window.add(pdu.command, deadline, { settle, at: this.#outbox.appended });
    try {
      this.#append({ ...pdu, sequence_number });
    } catch (error) {
      window.take(sequence_number);
      throw error;
    }
    this.#wasFull ||= this.room <= 0;
  }

  adjust(adjustment: SessionAdjustment): void {
    this.#options = { ...this.#options, ...adjustment };
    this.#state.limits = this.#options;
    this.#state.window.max = this.#options.windowMax;
    if (!this.#isOver) this.#ticker.use(this.#options);
    this.#tellRoom();
  }

  flush(): void {
    this.#outbox.flush();
  }

  unbind(): Promise<CloseReason> {
    if (isBound(this.#state.phase)) this.#run({ kind: 'unbind', now: this.#now });
    else if (this.#state.phase !== 'unbinding') this.destroy();
    return this.closed;
  }

  destroy(): void {
    this.#run({ kind: 'end', reason: 'destroyed' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.unbind();
  }

  /** Sends our bind as a client. */
  bind(bind: Bind): void {
    this.#run({ kind: 'bind', bind, now: this.#now });
  }

  /** Accepts the bind of a client. `handlers` belong to the account of that client. */
  admit(
    bind: PduOf<BindName>,
    given: { readonly system_id: string; readonly version: Version; readonly handlers: SessionHandlers },
  ): void {
    const { handlers, ...ours } = given;
    this.#handlers = handlers;
    this.#run({ kind: 'admit', bind, ...ours, now: this.#now });
    // The client closed its side of the connection before our answer to the bind, so the session ends at once.
    if (this.#state.peerEnded) this.#run({ kind: 'peer_ended', now: this.#now });
  }

  refuse(bind: PduOf<BindName>, command_status: number): void {
    this.#run({ kind: 'refuse', bind, command_status });
  }

  #listen(): void {
    const socket = this.#socket;
    socket.setNoDelay(true);
    // Lets a client close its side of the connection after its last request. Must be set after any TLS handshake.
    if (this.#state.role === 'server') socket.allowHalfOpen = true;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => this.#run({ kind: 'peer_ended', now: this.#now }));
    socket.on('error', (error) => {
      this.#error = error;
      this.#run({ kind: 'end', reason: 'socket_error' });
    });
    socket.on('close', () => this.#run({ kind: 'end', reason: 'disconnected' }));
    socket.on('drain', () => this.#tellRoom());
  }

  #read(chunk: Buffer): void {
    if (this.#isOver) return;
    for (const frame of this.#framer.push(chunk)) {
      if (this.#isOver) return;
      if ('fault' in frame) {
        this.#fail(frame.fault, chunk);
        return;
      }
      this.#bytes = frame.bytes;
      this.#handlers.onHeader?.('in', headerOf(frame.bytes));
      const decoded = decode(frame.bytes);
      if (!decoded.ok) {
        this.#fail(decoded.fault, frame.bytes);
        continue;
      }
      if (decoded.oddities.length > 0) this.#handlers.onOddities?.(decoded.pdu, decoded.oddities);
      this.#outbox.heard(decoded.pdu);
      this.#run({ kind: 'pdu', pdu: decoded.pdu, now: this.#now });
    }
    this.#bytes = nothing;
    this.#intake.hasRead();
    this.#tellRoom();
  }

  #fail(fault: Fault, bytes: Uint8Array): void {
    this.#handlers.onFault?.(fault, bytes);
    this.#run({ kind: 'fault', fault, now: this.#now, isAsked: this.#handlers.onUnreadable !== undefined });
  }

  get #isOver(): boolean {
    return this.#state.phase === 'closed';
  }

  #tick(elapsedMs: number): void {
    this.#pausedMs = this.#state.paused ? this.#pausedMs + elapsedMs : 0;
    this.#stalledMs = this.#outbox.waiting >= this.#options.outputHighOctets ? this.#stalledMs + elapsedMs : 0;
    if (this.#pausedMs >= this.#options.handlerStallMs) this.#run({ kind: 'end', reason: 'handler_stalled' });
    if (this.#stalledMs >= this.#options.outputStallMs) this.#run({ kind: 'end', reason: 'output_stalled' });
    this.#intake.tick();
    if (!this.#isReading) return;
    this.#now += elapsedMs;
    this.#run({ kind: 'tick', now: this.#now, unreadSince: this.#outbox.unreadSince });
    this.#tellRoom();
  }

  #tellRoom(): void {
    if (!this.#wasFull || this.room <= 0) return;
    this.#wasFull = false;
    this.#handlers.onRoom?.();
  }

  #run(event: SessionEvent): void {
    for (const action of step(this.#state, event)) this.#act(action);
  }

  #act(action: SessionAction<Waiter>): void {
    switch (action.kind) {
      case 'send':
        this.#send(action.pdu);
        break;
      case 'request':
        this.#handlers.onRequest(action.pdu, this.#responder(action.pdu), this.#bytes);
        break;
      case 'unreadable':
        this.#handlers.onUnreadable?.(action.fault, this.#responder(action.request), this.#bytes);
        break;
      case 'answer':
        this.#outbox.hasReadTo(action.waiting.waiter.at);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the session has checked that the answer belongs to the command of the request
        action.waiting.waiter.settle({ kind: 'answered', pdu: action.pdu as PduOf<ResponseOf<AskName>> });
        break;
      case 'timeout':
        action.waiting.waiter.settle({ kind: 'timeout', sequence_number: action.waiting.sequence_number });
        break;
      case 'stray':
        this.#handlers.onStray?.(action.pdu, action.late);
        break;
      case 'notify':
        this.#handlers.onNotification?.(action.pdu);
        break;
      case 'decide':
        this.#peer = { ...this.#peer, system_id: action.bind.system_id };
        this.#hooks.decide?.(action.bind);
        break;
      case 'bound':
        if (!isBound(this.#state.phase)) break;
        if ('system_id' in action.pdu) this.#peer = { ...this.#peer, system_id: action.pdu.system_id ?? '' };
        this.#wasBound = true;
        this.#framer.lengthMax = Infinity;
        this.#hooks.bound?.();
        this.#handlers.onBound?.();
        break;
      case 'refused':
        this.#hooks.refused?.(action.pdu);
        break;
      case 'abandon':
        // Collected PDUs are written first, so that their requests count as in doubt.
        this.#outbox.flush();
        this.#abandon(action.abandoned);
        break;
      case 'pause':
      case 'resume':
        this.#intake.follow();
        break;
      case 'close':
        this.#close(action);
        break;
    }
  }

  get #isReading(): boolean {
    return !this.#state.paused || this.#state.refusing || this.#state.peerEnded;
  }

  #send(pdu: Encodable): void {
    this.#append(pdu);
    const outputMax = this.#wasBound ? this.#options.outputMaxOctets : unboundOutputOctets;
    if (this.#outbox.waiting > outputMax) this.#run({ kind: 'end', reason: 'output_limit' });
  }

  #append(pdu: Encodable): void {
    const before = this.#outbox.appended;
    this.#outbox.append(pdu);
    this.#handlers.onHeader?.('out', {
      command: pdu.command,
      command_length: this.#outbox.appended - before,
      command_status: 'command_status' in pdu ? (pdu.command_status ?? 0) : 0,
      sequence_number: pdu.sequence_number ?? 0,
    });
  }

  #responder(pdu: NumberedRequest): Respond {
    let answered = false;
    return (command_status, fields, settle) => {
      if (answered) throw new Error(`${pdu.command} ${pdu.sequence_number} was already answered`);
      if (this.#isOver) return false;
      const { sequence_number } = pdu;
      this.#send({ command: responseName(pdu.command), command_status, sequence_number, ...fields });
      // If `#send` throws because the fields cannot be encoded, the request still needs an answer.
      answered = true;
      if (settle) this.#outbox.follow(settle, this.#now);
      this.#run({ kind: 'responded', now: this.#now });
      return true;
    };
  }

  #close(action: Extract<SessionAction<Waiter>, { kind: 'close' }>): void {
    this.#ticker.stop();
    if (action.flush) {
      this.#outbox.flush();
      endLater(this.#socket);
    } else {
      this.#outbox.discard();
      this.#socket.destroy();
    }
    this.#abandon(action.abandoned);
    this.#outbox.settleAll(isOrderly(action.reason));
    this.#resolveClosed(action.reason);
    this.#hooks.closed?.(action.reason, this.#error);
    if (this.#wasBound) this.#handlers.onClose?.(action.reason, this.#error);
  }

  #abandon(abandoned: readonly Waiting<Waiter>[]): void {
    const { handedOver } = this.#outbox;
    for (const { waiter } of abandoned) waiter.settle({ kind: 'closed', written: waiter.at < handedOver });
  }
}

const nothing = new Uint8Array();

interface Waiter {
  readonly settle: (answer: Answer) => void;
  /** The position of the request in the output, used to find out whether the request was written. */
  readonly at: number;
}

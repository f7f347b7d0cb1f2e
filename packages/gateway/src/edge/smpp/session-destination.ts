import { EncodeError, statusName, statuses } from '@morsel/smpp';
import type { Answer, Session } from '@morsel/smpp';
import type { Account } from '../../core/account/account.ts';
import type { Notification, TryOutcome } from '../../core/notification/notification.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Destination } from '../../flow/notification/notify.ts';
import type { Clock, Timer } from '../../runtime/clock.ts';
import { deliverSm } from './deliver-sm.ts';
import type { DeliverSm } from './deliver-sm.ts';

/*
 * Delivers an account's notifications over its bound SMPP sessions: chooses a session for each, and slows down sessions that
 * fail.
 */

/** A session that can receive. */
export interface ReceivingSession {
  readonly systemId: string;
  readonly account: () => Pick<Account, 'smppDataCoding0' | 'smppLong'>;
  readonly session: Pick<Session, 'phase' | 'version' | 'room' | 'inFlight' | 'ask'>;
}

interface DestinationNeeds {
  readonly clock: Pick<Clock, 'monotonicMs' | 'setTimer'>;
  /** Called when there is room again. */
  readonly hasRoom: () => void;
}

/** Sessions that one try asks in turn. Each may take its whole time to answer; the next try asks others. */
const sessionsTriedMax = 3;

/** After so many tries, some two hours, an unexpected status counts as `never`. */
const oddTriesMax = 20;

/** The first pause of a session that keeps failing, which then doubles, and the longest. */
const pauseMinMs = secondMs;
const pauseMaxMs = 30 * secondMs;

/** What each command_status of deliver_sm_resp means. Any other is unexpected and counts as `later`. */
const meanings: ReadonlyMap<number, 'delivered' | 'later' | 'never'> = new Map([
  [statuses.ESME_ROK, 'delivered'],
  [statuses.ESME_RX_T_APPN, 'later'],
  [statuses.ESME_RMSGQFUL, 'later'],
  [statuses.ESME_RSYSERR, 'later'],
  [statuses.ESME_RTHROTTLED, 'later'],
  [statuses.ESME_RX_P_APPN, 'never'],
  [statuses.ESME_RX_R_APPN, 'never'],
]);

/**
 * The bound sessions of an account that can receive. A notification goes to the session with the fewest in flight, and at once
 * to another if that one fails. A session may have its window in flight; a failure halves this share, each success adds one.
 * A session that keeps failing gets nothing for a while, so that it holds up only what it already has.
 */
export class SessionDestination implements Destination {
  readonly #needs: DestinationNeeds;
  readonly #members = new Map<ReceivingSession, Member>();
  #turn = 0;

  constructor(needs: DestinationNeeds) {
    this.#needs = needs;
  }

  get size(): number {
    return this.#members.size;
  }

  add(receiving: ReceivingSession): void {
    this.#members.set(receiving, new Member(receiving));
  }

  remove(receiving: ReceivingSession): void {
    this.#members.get(receiving)?.timer?.cancel();
    this.#members.delete(receiving);
  }

  room(): number {
    const nowMs = this.#needs.clock.monotonicMs();
    let room = 0;
    for (const member of this.#members.values()) room += member.room(nowMs);
    return room;
  }

  async deliver(notification: Notification): Promise<TryOutcome> {
    const tried: Member[] = [];
    let outcome: TryOutcome = { kind: 'untried' };
    while (tried.length < sessionsTriedMax) {
      const member = this.#choose(tried);
      if (!member) break;
      tried.push(member);
      const outcomeHere = await this.#deliverOn(member, notification);
      if (outcomeHere.kind === 'delivered' || outcomeHere.kind === 'never') return outcomeHere;
      if (outcomeHere.kind === 'later') outcome = outcomeHere;
    }
    return outcome;
  }

  /** The session with the fewest in flight; among equals, the one that has waited longest. */
  #choose(tried: readonly Member[]): Member | undefined {
    const nowMs = this.#needs.clock.monotonicMs();
    let best: Member | undefined;
    for (const member of this.#members.values()) {
      if (member.room(nowMs) <= 0 || tried.includes(member)) continue;
      const isBetter = !best || member.inFlight - best.inFlight || member.turn - best.turn;
      if (isBetter === true || isBetter < 0) best = member;
    }
    if (best) best.turn = ++this.#turn;
    return best;
  }

  async #deliverOn(member: Member, notification: Notification): Promise<TryOutcome> {
    const { account, session, systemId } = member.receiving;
    const by = `session ${systemId}`;
    const { smppDataCoding0: dataCoding0, smppLong: long } = account();
    const pdus = deliverSm(notification, { version: session.version, dataCoding0, long });
    if (!pdus) return { kind: 'never', by, detail: 'deliver_sm cannot carry this notification' };
    const { cuts } = member;
    member.inFlight += 1;
    const outcome = await this.#send(member, pdus, { by, tries: notification.tries });
    member.inFlight -= 1;
    if (outcome.kind === 'delivered') member.succeeded();
    // A request that left before the last cut is part of the same failure.
    else if (outcome.kind === 'later' && cuts === member.cuts) this.#cut(member);
    this.#needs.hasRoom();
    return outcome;
  }

  /** Sends one part after the other, so that a long message needs no more room than a short one. All must be accepted. */
  async #send(member: Member, pdus: readonly DeliverSm[], of: Try): Promise<TryOutcome> {
    const { session } = member.receiving;
    let outcome: TryOutcome = { kind: 'untried' };
    let isBegun = false;
    for (const pdu of pdus) {
      if (isBegun && isReceiver(session) && session.room <= 0)
        return later(of, 'the session has no room for the next part');
      outcome = outcomeOf(await ask(session, pdu), of);
      if (isBegun && outcome.kind === 'untried') return later(of, ended);
      if (outcome.kind !== 'delivered') return outcome;
      isBegun = true;
    }
    return outcome;
  }

  #cut(member: Member): void {
    const pauseMs = member.cut(this.#needs.clock.monotonicMs());
    if (pauseMs === 0) return;
    member.timer?.cancel();
    member.timer = this.#needs.clock.setTimer(() => this.#needs.hasRoom(), pauseMs);
  }
}

/** One session, and the share of its window that it gets. */
class Member {
  readonly receiving: ReceivingSession;
  /** Notifications on their way to it. Each has at most one request in flight. */
  inFlight = 0;
  /** The turn in which it last got a notification. */
  turn = 0;
  /** How often its share was cut. */
  cuts = 0;
  timer: Timer | undefined;
  #share = Number.POSITIVE_INFINITY;
  #pauses = 0;
  #pausedUntilMs = 0;

  constructor(receiving: ReceivingSession) {
    this.receiving = receiving;
  }

  room(nowMs: number): number {
    const { session } = this.receiving;
    if (!isReceiver(session) || nowMs < this.#pausedUntilMs) return 0;
    // Between two parts a long message has nothing in flight, but keeps its place.
    const places = Math.min(this.#share, session.room + session.inFlight) - this.inFlight;
    return Math.max(0, Math.min(session.room, places));
  }

  succeeded(): void {
    this.#share += 1;
    this.#pauses = 0;
  }

  /** Halves its share. Returns how long to pause if there is nothing left to halve, otherwise 0. */
  cut(nowMs: number): number {
    const { room, inFlight } = this.receiving.session;
    const share = Math.min(this.#share, room + inFlight);
    this.cuts += 1;
    this.#share = Math.max(1, Math.floor(share / 2));
    if (share > 1) return 0;
    const pauseMs = Math.min(pauseMaxMs, pauseMinMs * 2 ** this.#pauses);
    this.#pauses += 1;
    this.#pausedUntilMs = nowMs + pauseMs;
    return pauseMs;
  }
}

function isReceiver({ phase }: ReceivingSession['session']): boolean {
  return phase === 'bound_rx' || phase === 'bound_trx';
}

/** A notification that deliver_sm cannot hold is an outcome, not a rejection. */
function ask(session: ReceivingSession['session'], pdu: DeliverSm): Promise<Asked> {
  return new Promise((resolve, reject) => {
    try {
      session.ask(pdu, resolve);
    } catch (fault) {
      if (fault instanceof EncodeError) resolve({ kind: 'unsayable', field: fault.field });
      else reject(fault);
    }
  });
}

type Asked = Answer<'deliver_sm'> | { readonly kind: 'unsayable'; readonly field: string };

interface Try {
  readonly by: string;
  /** The tries before this one. */
  readonly tries: number;
}

const ended = 'the session ended before its answer';

function later({ by }: Try, detail: string): TryOutcome {
  return { kind: 'later', by, detail };
}

function outcomeOf(asked: Asked, of: Try): TryOutcome {
  switch (asked.kind) {
    case 'closed':
      return asked.written ? later(of, ended) : { kind: 'untried' };
    case 'timeout':
      return later(of, 'no answer in time');
    case 'unsayable':
      return { kind: 'never', by: of.by, detail: `it does not fit the field ${asked.field} of deliver_sm` };
    case 'answered':
      return outcomeOfStatus(asked.pdu, of);
  }
}

function outcomeOfStatus({ command, command_status: commandStatus }: AnswerPdu, of: Try): TryOutcome {
  const detail = command === 'generic_nack' ? `generic_nack ${statusName(commandStatus)}` : statusName(commandStatus);
  const meaning = meanings.get(commandStatus);
  if (meaning === 'later') return later(of, detail);
  if (meaning !== undefined && command !== 'generic_nack') return { kind: meaning, by: of.by, detail };
  return of.tries + 1 < oddTriesMax ? later(of, detail) : { kind: 'never', by: of.by, detail };
}

type AnswerPdu = Pick<Extract<Asked, { kind: 'answered' }>['pdu'], 'command' | 'command_status'>;

import { EncodeError, statusName, statuses, type Answer, type Session } from '@morsel/smpp';
import type { Account } from '../../../core/account/account.ts';
import type { Notification, TryOutcome } from '../../../core/notification/notification.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Destination } from '../../../flow/notification/worker.ts';
import type { Timer } from '../../../runtime/clock.ts';
import { deliverSm, type DeliverSm } from './deliver-sm.ts';
import type { Tools } from '../../../flow/ports.ts';

/* Chooses a session for each notification of an account, and slows down sessions that fail. */

/** A session that is bound as receiver or transceiver. */
export interface ReceivingSession {
  readonly systemId: string;
  readonly account: () => Pick<Account, 'defaultCoding' | 'smppLong'>;
  readonly session: Pick<Session, 'phase' | 'version' | 'room' | 'inFlight' | 'ask'>;
}

/** The most sessions in one try of a notification, one after the other. Each may take the full response time. */
const sessionsTriedMax = 3;

/** After this many tries, about two hours, an unexpected command_status counts as `never`. */
const oddTriesMax = 20;

/** Pause of a session that keeps failing. It doubles after each failure. */
const pauseMinMs = secondMs;
const pauseMaxMs = 30 * secondMs;

/** The meaning of each command_status in deliver_sm_resp. Any other is unexpected, and counts as `later`. */
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
 * Delivers a notification to the bound session with the fewest in flight. If that fails, another session gets it at
 * once. A failure halves the usable share of the session's window, and each success adds one. A session that keeps
 * failing pauses, so that it delays no further notifications.
 */
export class SessionDestination implements Destination {
  readonly #needs;
  readonly #members = new Map<ReceivingSession, Member>();
  #turn = 0;

  constructor(
    needs: Pick<Tools, 'clock'> & {
      /** Called when a session has room for another notification. */
      readonly hasRoom: () => void;
    },
  ) {
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

  /** Chooses the session with the fewest notifications in flight; of equal sessions, the least recently used one. */
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
    const { defaultCoding: dataCoding0, smppLong: long } = account();
    const pdus = deliverSm(notification, { version: session.version, dataCoding0, long });
    if (!pdus) return { kind: 'never', by, detail: 'this notification cannot be written as deliver_sm' };
    const { cuts } = member;
    member.inFlight += 1;
    const outcome = await this.#send(member, pdus, { by, tries: notification.tries });
    member.inFlight -= 1;
    if (outcome.kind === 'delivered') member.succeeded();
    // A failed request that was sent before the last cut belongs to the same failure, and does not cut the share again.
    else if (outcome.kind === 'later' && cuts === member.cuts) this.#cut(member);
    this.#needs.hasRoom();
    return outcome;
  }

  /** Sends the parts one after the other, so that a long message needs no more room. The client must accept all. */
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

/** One session, and the share of its window that may be in flight. */
class Member {
  readonly receiving: ReceivingSession;
  /** The notifications that this session delivers now. Each has at most one request in flight. */
  inFlight = 0;
  /** A counter that shows when this session last got a notification. */
  turn = 0;
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
    // Between two parts, a long message has no request in flight, but still counts against the share of the window.
    const places = Math.min(this.#share, session.room + session.inFlight) - this.inFlight;
    return Math.max(0, Math.min(session.room, places));
  }

  succeeded(): void {
    this.#share += 1;
    this.#pauses = 0;
  }

  /** Halves the share of the window. If the share was one already, returns the session's pause in milliseconds. */
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

/** If a field cannot be written, resolves with an outcome instead of rejecting. */
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
  /** The number of earlier tries of this notification. */
  readonly tries: number;
}

const ended = 'the session ended before the client answered';

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
      return {
        kind: 'never',
        by: of.by,
        detail: `the notification does not fit into the field ${asked.field} of deliver_sm`,
      };
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

import { isBound, statuses } from '@morsel/smpp';
import type {
  CloseReason,
  PduOf,
  RequestName,
  Respond,
  Session,
  SessionAdjustment,
  SessionHandlers,
} from '@morsel/smpp';
import type { Account } from '../../core/account/account.ts';
import type { Login } from '../../core/account/login.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { isFrom } from '../../flow/account/authenticate.ts';
import type { DetailLog, EventLog } from '../../flow/ports.ts';
import type { Clock } from '../../runtime/clock.ts';
import { traceHeaders } from '../trace-headers.ts';
import { unreadableHandlers } from './unreadable.ts';

/*
 * The bound sessions of clients: keeps them by account, holds them to the account's limits, and closes those that are no
 * longer allowed.
 */

/** One bound session of a client. */
export interface ClientSession {
  /** The number by which an operator names it. Numbers start again with each run of the process. */
  readonly id: string;
  readonly systemId: string;
  /** With its current settings. */
  readonly account: () => Account;
  readonly session: Session;
  readonly login: number;
  readonly isTls: boolean;
  readonly boundAt: Instant;
  /** The answers to its submit_sm and data_sm. */
  readonly submits: SubmitCounts;
}

/** Counted where requests are answered. Requests beyond the window are counted by the session of the protocol instead. */
interface SubmitCounts {
  accepted: number;
  refused: number;
}

/** Notified of sessions that can receive. */
export interface SessionWatcher {
  bound(session: ClientSession): void;
  /** The session has room again. */
  room(session: ClientSession): void;
  /** Requests in flight have got their outcome. */
  closed(session: ClientSession, reason: CloseReason): void;
}

interface SessionsNeeds {
  readonly snapshot: () => Pick<Snapshot, 'accounts' | 'logins'>;
  readonly clock: Clock;
  /** False once the process is stopping. */
  readonly isTaking: () => boolean;
  /** Handles a request of a bound session. It must answer every request. */
  readonly answer: (from: ClientSession, pdu: PduOf<RequestName>, respond: Respond) => void;
  readonly log: DetailLog & Pick<EventLog, 'info' | 'warn'>;
}

/** A session with the state that changes. */
interface Kept extends ClientSession {
  /** The window that it has now. */
  window: number;
  /** Whether it gets enquire_link more often than usual. */
  isProbed: boolean;
}

/** A reserved place among the sessions of an account. */
interface Reservation {
  readonly account: number;
}

/** A session that is being bound. */
interface Bound {
  readonly session: Session;
  readonly isTls: boolean;
  readonly reservation: Reservation;
}

/** A filter of sessions; without any member, all sessions. */
export interface SessionChoice {
  readonly id?: string | undefined;
  readonly account?: string | undefined;
  readonly systemId?: string | undefined;
}

/** From the start of our unbind to the end of the connection, whether or not the client answers. */
const unbindMs = 5 * secondMs;

/** Silence of a client before the gateway sends enquire_link. After three without an answer the session ends. */
const enquireLinkMs = 30 * secondMs;
/**
 * The same while another bind of the account needs a place. A dead client is noticed after six seconds instead of ninety, and
 * its next bind is refused only until then. A live client answers within that time.
 */
const probeLinkMs = 2 * secondMs;
/** Longer than it takes to end a dead session. */
const probeMs = 10 * secondMs;

const submitting: readonly string[] = ['submit_sm', 'submit_multi', 'data_sm'];

/** The bound sessions of all clients, by account. */
export class Sessions {
  readonly #needs: SessionsNeeds;
  /** In the order of their binds. */
  readonly #byAccount = new Map<number, Set<Kept>>();
  readonly #watchers: SessionWatcher[] = [];
  /** Binds that were accepted in this turn of the event loop and are not bound yet. */
  readonly #reserved = new Map<number, Set<Reservation>>();
  #lastId = 0;

  constructor(needs: SessionsNeeds) {
    this.#needs = needs;
  }

  get size(): number {
    let size = 0;
    for (const sessions of this.#byAccount.values()) size += sessions.size;
    return size;
  }

  watch(watcher: SessionWatcher): void {
    this.#watchers.push(watcher);
  }

  /** The sessions of an account that can receive, the oldest bind first. */
  receivers(account: number): readonly ClientSession[] {
    return [...(this.#byAccount.get(account) ?? [])].filter(canReceive);
  }

  /**
   * A place for one more session of the account, which `handlers` must take in this turn of the event loop. Undefined if the
   * account has its maximum; dead sessions are then ended within seconds, so that a later try finds a place.
   */
  reserveSession({ id, smppBinds }: Account): Reservation | undefined {
    const bound = [...(this.#byAccount.get(id) ?? [])].filter(({ session }) => isBound(session.phase));
    const reserved = this.#reserved.get(id) ?? new Set();
    if (bound.length + reserved.size >= smppBinds) {
      for (const each of bound) probe(each, this.#needs.clock);
      return undefined;
    }
    const reservation = { account: id };
    this.#reserved.set(id, reserved.add(reservation));
    // If nobody has taken it by then, the client has gone.
    setImmediate(() => this.#free(reservation));
    return reservation;
  }

  /** The handlers of a new session of the account. */
  handlers(login: Login, account: Account, bound: Bound): SessionHandlers {
    const { session, reservation } = bound;
    this.#free(reservation);
    const kept = this.#keep(login, account, bound);
    const { systemId } = login;
    const { address } = session.peer;
    const tell = (event: 'bound' | 'room') => {
      if (canReceive(kept)) for (const watcher of this.#watchers) watcher[event](kept);
    };
    return {
      onBound: () => {
        const { boundAs: bind } = session;
        this.#needs.log.info({ session: kept.id, account: account.name, systemId, address, bind }, 'session bound');
        tell('bound');
      },
      onRoom: () => tell('room'),
      onRequest: (pdu, respond) => this.#hear(kept, pdu, respond),
      ...traceHeaders(this.#needs.log, { session: kept.id, account: account.name }),
      ...unreadableHandlers(session, this.#needs, { session: kept.id, account: account.name, systemId }),
      onClose: (reason) => {
        this.#forget(account.id, kept);
        this.#needs.log.info({ session: kept.id, account: account.name, systemId, reason }, 'session ended');
        if (session.boundAs === 'bind_transmitter') return;
        for (const watcher of this.#watchers) watcher.closed(kept, reason);
      },
    };
  }

  /** The chosen sessions, within an account the oldest bind first. */
  list({ id, account, systemId }: SessionChoice = {}): readonly ClientSession[] {
    return [...this.#byAccount.values()]
      .flatMap((sessions) => [...sessions])
      .filter(
        (each) =>
          (id === undefined || each.id === id) &&
          (account === undefined || each.account().name === account) &&
          (systemId === undefined || each.systemId === systemId),
      );
  }

  /** Unbinds sessions after their requests in flight, and destroys those still there at the limit. Resolves when all are gone. */
  async close(sessions: readonly ClientSession[], limitMs = unbindMs): Promise<void> {
    const end = () => {
      for (const { session } of sessions) session.destroy();
    };
    const deadline = this.#needs.clock.setTimer(end, limitMs);
    await Promise.all(sessions.map(({ session }) => session.unbind()));
    deadline.cancel();
  }

  /** Applies changed settings: closes sessions that are no longer allowed, and gives the others their new window. */
  apply({ accounts, logins }: Pick<Snapshot, 'accounts' | 'logins'>): void {
    for (const [id, sessions] of this.#byAccount) {
      const account = accounts.get(id);
      for (const each of sessions) {
        const login = logins.get(each.systemId);
        const { address } = each.session.peer;
        const isAllowed =
          account?.status === 'active' &&
          login?.id === each.login &&
          isFrom(account.from, address) &&
          isFrom(login.from, address);
        if (!isAllowed) void this.close([each]);
        else if (account.smppWindow !== each.window) adjust(each, account);
      }
    }
  }

  #free(reservation: Reservation): void {
    const reserved = this.#reserved.get(reservation.account);
    reserved?.delete(reservation);
    if (reserved?.size === 0) this.#reserved.delete(reservation.account);
  }

  #keep(login: Login, account: Account, { session, isTls }: Bound): Kept {
    const kept: Kept = {
      id: String(++this.#lastId),
      systemId: login.systemId,
      account: () => this.#needs.snapshot().accounts.get(account.id) ?? account,
      session,
      login: login.id,
      isTls,
      boundAt: this.#needs.clock.now(),
      submits: { accepted: 0, refused: 0 },
      window: account.smppWindow,
      isProbed: false,
    };
    const sessions = this.#byAccount.get(account.id) ?? new Set();
    this.#byAccount.set(account.id, sessions.add(kept));
    return kept;
  }

  #forget(account: number, kept: Kept): void {
    const sessions = this.#byAccount.get(account);
    sessions?.delete(kept);
    if (sessions?.size === 0) this.#byAccount.delete(account);
  }

  #hear(from: Kept, pdu: PduOf<RequestName>, respond: Respond): void {
    // The client sends it again, here or elsewhere.
    if (submitting.includes(pdu.command) && !this.#needs.isTaking()) {
      from.submits.refused += 1;
      respond(statuses.ESME_RSYSERR);
      return;
    }
    this.#needs.answer(from, pdu, respond);
  }
}

/** The limits of an account's sessions: twice the window for the client's unanswered requests, the window for ours. */
export function limitsOf({ smppWindow }: Account): SessionLimits {
  return { windowMax: smppWindow, peerWindowMax: 2 * smppWindow, enquireLinkMs };
}

type SessionLimits = Required<Pick<SessionAdjustment, 'windowMax' | 'peerWindowMax' | 'enquireLinkMs'>>;

function adjust(kept: Kept, account: Account): void {
  kept.window = account.smppWindow;
  kept.session.adjust({ ...limitsOf(account), ...(kept.isProbed && { enquireLinkMs: probeLinkMs }) });
}

/** Sends a silent session enquire_link early and often for a while. Does nothing if that is under way. */
function probe(kept: Kept, clock: Clock): void {
  if (kept.isProbed) return;
  kept.isProbed = true;
  adjust(kept, kept.account());
  const end = () => {
    kept.isProbed = false;
    adjust(kept, kept.account());
  };
  clock.setTimer(end, probeMs);
}

function canReceive({ session: { phase } }: ClientSession): boolean {
  return phase === 'bound_rx' || phase === 'bound_trx';
}

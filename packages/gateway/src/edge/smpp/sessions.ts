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
import type { Snapshot } from '../../core/message/snapshot.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { isFrom } from '../../flow/account/authenticate.ts';
import type { DetailLog } from '../../flow/ports.ts';
import type { Clock } from '../../runtime/clock.ts';
import { traceHeaders } from '../trace-headers.ts';
import { unreadableHandlers } from './unreadable.ts';

/** One bind of an account to us. */
export interface ClientSession {
  /** What an operator names it by: a number of this run of the process. */
  readonly id: string;
  readonly systemId: string;
  /** As it is set now. */
  readonly account: () => Account;
  readonly session: Session;
  readonly login: number;
  readonly isTls: boolean;
  readonly boundAt: Instant;
  /** What became of the messages that it submitted. */
  readonly submits: SubmitCounts;
}

/** Messages of a session: whoever answers them counts them. What is beyond its window is counted by the session itself. */
interface SubmitCounts {
  accepted: number;
  refused: number;
}

/** Who gives something to sessions; of those alone that can receive is told. */
export interface SessionWatcher {
  bound(session: ClientSession): void;
  /** It had no room and has. */
  room(session: ClientSession): void;
  /** Requests in flight have had their answers. */
  closed(session: ClientSession, reason: CloseReason): void;
}

interface SessionsNeeds {
  readonly snapshot: () => Pick<Snapshot, 'accounts' | 'logins'>;
  readonly clock: Clock;
  /** False once the process is stopping. */
  readonly isTaking: () => boolean;
  /** What is done with a request of a session that is bound. Every request has to be answered. */
  readonly answer: (from: ClientSession, pdu: PduOf<RequestName>, respond: Respond) => void;
  readonly log: DetailLog & {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** With what may change while it lives. */
interface Kept extends ClientSession {
  /** By which it goes. */
  window: number;
  /** It is asked more often than usual whether it lives. */
  isProbed: boolean;
}

/** A place among the sessions of an account. */
interface Reservation {
  readonly account: number;
}

/** A session that is being bound. */
interface Bound {
  readonly session: Session;
  readonly isTls: boolean;
  readonly reservation: Reservation;
}

/** Which sessions are meant; all of them if nothing is said. */
export interface SessionChoice {
  readonly id?: string | undefined;
  readonly account?: string | undefined;
  readonly systemId?: string | undefined;
}

/** From the first word of our unbind to the end of the connection, whether or not the client answers. */
const unbindMs = 5 * secondMs;

/** How long a client says nothing before we ask whether it lives. The third time that it did not answer it is ended. */
const enquireLinkMs = 30 * secondMs;
/**
 * The same while another bind of its account wants its place. A client without power or line is gone for us after a minute and a
 * half otherwise, and its next bind is refused until then; so it is gone after six seconds. One that lives says something by then.
 */
const probeLinkMs = 2 * secondMs;
/** Longer than it takes to end who does not answer. */
const probeMs = 10 * secondMs;

const submitting: readonly string[] = ['submit_sm', 'submit_multi', 'data_sm'];

/** The sessions that are bound to us, by account. */
export class Sessions {
  readonly #needs: SessionsNeeds;
  /** In the order of their binds. */
  readonly #byAccount = new Map<number, Set<Kept>>();
  readonly #watchers: SessionWatcher[] = [];
  /** Binds that were admitted and are not bound yet: they are in the same turn of the event loop. */
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

  /** Those of an account that a message or a receipt can be given to, the oldest bind first. */
  receivers(account: number): readonly ClientSession[] {
    return [...(this.#byAccount.get(account) ?? [])].filter(canReceive);
  }

  /**
   * A place for one more session of the account, to be taken by `handlers` in this turn of the event loop; undefined if it has as
   * many as it may. Those of a client that is gone unnoticed are ended then, within some seconds: a later try has their place.
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
    // Its peer has gone if it was not taken until then.
    setImmediate(() => this.#free(reservation));
    return reservation;
  }

  /** What a session of the account does from its bind on. */
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
        this.#needs.log.info({ session: kept.id, account: account.name, systemId, address, bind }, 'a client is bound');
        tell('bound');
      },
      onRoom: () => tell('room'),
      onRequest: (pdu, respond) => this.#hear(kept, pdu, respond),
      ...traceHeaders(this.#needs.log, { session: kept.id, account: account.name }),
      ...unreadableHandlers(session, this.#needs, { session: kept.id, account: account.name, systemId }),
      onClose: (reason) => {
        this.#forget(account.id, kept);
        this.#needs.log.info({ session: kept.id, account: account.name, systemId, reason }, 'a session has ended');
        if (session.boundAs === 'bind_transmitter') return;
        for (const watcher of this.#watchers) watcher.closed(kept, reason);
      },
    };
  }

  /** The chosen ones, the oldest bind of an account first. */
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

  /** Unbinds them after what is in flight, and ends those whose client does not play along. Resolves when all are gone. */
  async close(sessions: readonly ClientSession[], limitMs = unbindMs): Promise<void> {
    const end = () => {
      for (const { session } of sessions) session.destroy();
    };
    const deadline = this.#needs.clock.setTimer(end, limitMs);
    await Promise.all(sessions.map(({ session }) => session.unbind()));
    deadline.cancel();
  }

  /** Living sessions go by what was set: those that would not be let in any more are closed, others have their new window. */
  apply({ accounts, logins }: Pick<Snapshot, 'accounts' | 'logins'>): void {
    for (const [id, sessions] of this.#byAccount) {
      const account = accounts.get(id);
      for (const each of sessions) {
        const login = logins.get(each.systemId);
        const { address } = each.session.peer;
        const isLetIn =
          account?.status === 'active' &&
          login?.id === each.login &&
          isFrom(account.from, address) &&
          isFrom(login.from, address);
        if (!isLetIn) void this.close([each]);
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
    // To be sent again: somewhere else, or to us once we are back (smpp-in-the-wild, 11).
    if (submitting.includes(pdu.command) && !this.#needs.isTaking()) {
      from.submits.refused += 1;
      respond(statuses.ESME_RSYSERR);
      return;
    }
    this.#needs.answer(from, pdu, respond);
  }
}

/** What an account's sessions are held to: its requests without our answer to twice the window, ours without its answer to the window. */
export function limitsOf({ smppWindow }: Account): SessionLimits {
  return { windowMax: smppWindow, peerWindowMax: 2 * smppWindow, enquireLinkMs };
}

type SessionLimits = Required<Pick<SessionAdjustment, 'windowMax' | 'peerWindowMax' | 'enquireLinkMs'>>;

function adjust(kept: Kept, account: Account): void {
  kept.window = account.smppWindow;
  kept.session.adjust({ ...limitsOf(account), ...(kept.isProbed && { enquireLinkMs: probeLinkMs }) });
}

/** Asks a session that says nothing whether it lives, soon and often, and for a while. Asked meanwhile it changes nothing. */
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

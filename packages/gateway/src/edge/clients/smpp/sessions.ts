import {
  isBound,
  statuses,
  type CloseReason,
  type PduOf,
  type RequestName,
  type Respond,
  type Session,
  type SessionAdjustment,
  type SessionHandlers,
} from '@morsel/smpp';
import type { Account } from '../../../core/account/account.ts';
import type { Login } from '../../../core/account/login.ts';
import type { Snapshot } from '../../../core/snapshot.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { isFrom } from '../../../flow/account/authenticate.ts';
import type { Nodes } from '../../../flow/nodes/nodes.ts';
import type { Place } from '../../../flow/nodes/places.ts';
import type { Tools } from '../../../flow/ports.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { traceHeaders } from '../../trace-headers.ts';
import { unreadableHandlers } from './unreadable.ts';

/* Keeps bound client sessions, applies the account's limits, and closes sessions that are no longer allowed. */

export interface ClientSession {
  /** The id with which the operator names the session. Ids count from the start, and no two nodes use the same id. */
  readonly id: string;
  readonly systemId: string;
  /** The account with its current settings. */
  readonly account: () => Account;
  readonly session: Session;
  readonly login: number;
  readonly isTls: boolean;
  readonly boundAt: Instant;
  readonly submits: SubmitCounts;
}

/** Counts a session's submits, besides those above twice the window, which the protocol session refuses. */
interface SubmitCounts {
  accepted: number;
  refused: number;
}

/** The functions of a watcher are called for sessions that are bound as receiver or transceiver. */
export interface SessionWatcher {
  bound(session: ClientSession): void;
  room(session: ClientSession): void;
  /** Called after each request in flight has its outcome. */
  closed(session: ClientSession, reason: CloseReason): void;
}

interface Kept extends ClientSession {
  window: number;
  /** Whether the session gets enquire_link more often than usual, to find out whether it is dead. */
  isProbed: boolean;
  readonly place: Place | undefined;
}

interface Reservation {
  readonly account: number;
  /** The session's place among the sessions at all nodes; undefined until the place is known. */
  place: Place | undefined;
}

interface Bound {
  readonly session: Session;
  readonly isTls: boolean;
  readonly reservation: Reservation;
}

/** Chooses sessions. An empty choice means all sessions. */
export interface SessionChoice {
  readonly id?: string | undefined;
  readonly account?: string | undefined;
  readonly systemId?: string | undefined;
}

/** The longest time from our unbind to the end of the connection, even if the client does not answer. */
const unbindMs = 5 * secondMs;

/** The silence before an enquire_link. After three unanswered ones the gateway ends the session. */
const enquireLinkMs = 30 * secondMs;
/**
 * The silence before an enquire_link while another bind of the account needs a place. A dead session ends after six
 * seconds instead of ninety, and the client can then bind again.
 */
const probeLinkMs = 2 * secondMs;
/** How long sessions get enquire_link more often: longer than it takes to end a dead session. */
const probeMs = 10 * secondMs;

const submitting: readonly string[] = ['submit_sm', 'submit_multi', 'data_sm'];

export class Sessions {
  readonly #needs;
  /** The sessions of each account, in the order of their binds. */
  readonly #byAccount = new Map<number, Set<Kept>>();
  readonly #watchers: SessionWatcher[] = [];
  /** Places for binds that are not complete yet. */
  readonly #reserved = new Map<number, Set<Reservation>>();
  #lastId = 0;

  constructor(
    needs: Pick<Tools, 'log' | 'clock'> & {
      readonly snapshot: () => Pick<Snapshot, 'accounts' | 'logins'>;
      /** Counts the sessions of an account at all nodes. */
      readonly nodes: Pick<Nodes, 'places' | 'hint' | 'onHint' | 'ownId' | 'haveClients'>;
      /** False after the gateway has begun to stop. */
      readonly isTaking: () => boolean;
      /** Must answer every request. */
      readonly answer: (from: ClientSession, pdu: PduOf<RequestName>, respond: Respond) => void;
    },
  ) {
    this.#needs = needs;
    needs.nodes.onHint('full', (accounts = new Set()) => {
      for (const account of accounts) this.#probe(account);
    });
    const close = () => void this.close(this.list().filter(({ session }) => isBound(session.phase)));
    const size = () => this.size;
    needs.nodes.haveClients({ size, close });
  }

  get size(): number {
    let size = 0;
    for (const sessions of this.#byAccount.values()) size += sessions.size;
    return size;
  }

  watch(watcher: SessionWatcher): void {
    this.#watchers.push(watcher);
  }

  /** The sessions of an account that are bound as receiver or transceiver, the oldest bind first. */
  receivers(account: number): readonly ClientSession[] {
    return [...(this.#byAccount.get(account) ?? [])].filter(canReceive);
  }

  /**
   * Reserves a place for a bind, which `handlers` must use in the same turn of the event loop. If the account has its
   * maximum of sessions, dead ones end within seconds, so that a later bind can succeed.
   */
  async reserveSession({ id, smppBinds }: Account): Promise<Reservation | 'full' | 'unavailable'> {
    const { nodes } = this.#needs;
    const bound = [...(this.#byAccount.get(id) ?? [])].filter(({ session }) => isBound(session.phase));
    const reserved = this.#reserved.get(id) ?? new Set();
    if (bound.length + reserved.size >= smppBinds) {
      this.#probe(id);
      return 'full';
    }
    const reservation: Reservation = { account: id, place: undefined };
    this.#reserved.set(id, reserved.add(reservation));
    const place = await nodes.places.take(id, smppBinds);
    if (typeof place === 'string') {
      this.#free(reservation);
      this.#probe(id);
      if (place === 'full') nodes.hint('full', [id]);
      return place;
    }
    reservation.place = place;
    // If the reserved place is not used in this turn of the event loop, the client has closed the connection.
    setImmediate(() => {
      if (this.#free(reservation)) place.free();
    });
    return reservation;
  }

  handlers(login: Login, account: Account, bound: Bound): SessionHandlers {
    const { session, reservation } = bound;
    this.#free(reservation);
    const kept = this.#keep(login, account, bound);
    const { user: systemId } = login;
    const { address } = session.peer;
    const notifyWatchers = (event: 'bound' | 'room') => {
      if (canReceive(kept)) for (const watcher of this.#watchers) watcher[event](kept);
    };
    return {
      onBound: () => {
        const { boundAs: bind } = session;
        this.#needs.log.info({ session: kept.id, account: account.name, systemId, address, bind }, 'session bound');
        notifyWatchers('bound');
      },
      onRoom: () => notifyWatchers('room'),
      onRequest: (pdu, respond) => this.#answer(kept, pdu, respond),
      ...traceHeaders(this.#needs.log, { session: kept.id, account: account.name }),
      ...unreadableHandlers(session, this.#needs, { session: kept.id, account: account.name, systemId }),
      onClose: (reason) => {
        this.#forget(account.id, kept);
        kept.place?.free();
        this.#needs.log.info({ session: kept.id, account: account.name, systemId, reason }, 'session ended');
        if (session.boundAs === 'bind_transmitter') return;
        for (const watcher of this.#watchers) watcher.closed(kept, reason);
      },
    };
  }

  /** Lists the chosen sessions. Within an account, the oldest bind comes first. */
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

  /** Closes sessions after their requests in flight, or after `limitMs`. Resolves when all of them have ended. */
  async close(sessions: readonly ClientSession[], limitMs = unbindMs): Promise<void> {
    const end = () => {
      for (const { session } of sessions) session.destroy();
    };
    const deadline = this.#needs.clock.setTimer(end, limitMs);
    await Promise.all(sessions.map(({ session }) => session.unbind()));
    deadline.cancel();
  }

  /** Closes sessions that are no longer allowed, and gives all others the account's new window. */
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

  /** Frees the reserved place. Returns whether the place was unused. */
  #free(reservation: Reservation): boolean {
    const reserved = this.#reserved.get(reservation.account);
    const isUnused = reserved?.delete(reservation) === true;
    if (reserved?.size === 0) this.#reserved.delete(reservation.account);
    return isUnused;
  }

  #probe(account: number): void {
    for (const each of this.#byAccount.get(account) ?? []) {
      if (isBound(each.session.phase)) probe(each, this.#needs.clock);
    }
  }

  #keep(login: Login, account: Account, { session, isTls, reservation }: Bound): Kept {
    const kept: Kept = {
      id: String(this.#needs.nodes.ownId(++this.#lastId)),
      systemId: login.user,
      account: () => this.#needs.snapshot().accounts.get(account.id) ?? account,
      session,
      login: login.id,
      isTls,
      boundAt: this.#needs.clock.now(),
      submits: { accepted: 0, refused: 0 },
      window: account.smppWindow,
      isProbed: false,
      place: reservation.place,
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

  #answer(from: Kept, pdu: PduOf<RequestName>, respond: Respond): void {
    // The gateway is stopping. The client sends the message again after this refusal, perhaps to another gateway.
    if (submitting.includes(pdu.command) && !this.#needs.isTaking()) {
      from.submits.refused += 1;
      respond(statuses.ESME_RSYSERR);
      return;
    }
    this.#needs.answer(from, pdu, respond);
  }
}

/** Our requests in flight are at most the window; the client's unanswered requests are at most twice the window. */
export function limitsOf({ smppWindow }: Account): SessionLimits {
  return { windowMax: smppWindow, peerWindowMax: 2 * smppWindow, enquireLinkMs };
}

type SessionLimits = Required<Pick<SessionAdjustment, 'windowMax' | 'peerWindowMax' | 'enquireLinkMs'>>;

function adjust(kept: Kept, account: Account): void {
  kept.window = account.smppWindow;
  kept.session.adjust({ ...limitsOf(account), ...(kept.isProbed && { enquireLinkMs: probeLinkMs }) });
}

/** Sends enquire_link after only 2 seconds of silence, for 10 seconds. Does nothing if it is doing so already. */
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

import { networkOf, statuses, type Admission, type BindAttempt } from '@morsel/smpp';
import type { BindFailures } from '../../../core/account/bind-failures.ts';
import type { Account } from '../../../core/account/account.ts';
import type { Login } from '../../../core/account/login.ts';
import type { Snapshot } from '../../../core/snapshot.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { isFrom } from '../../../flow/account/authenticate.ts';
import type { Nodes } from '../../../flow/nodes/nodes.ts';
import type { Passwords } from '../../../flow/account/passwords.ts';
import { sleep } from '../../../runtime/clock.ts';
import type { RefusalLog } from '../../refusal-log.ts';
import { limitsOf, type Sessions } from './sessions.ts';
import type { Tools } from '../../../flow/ports.ts';

/*
 * Accepts or refuses binds. ESME_RINVPASWD is only sent for a wrong login, because some clients never bind again after
 * it. ESME_RALYBND is never sent, because some clients treat it as success.
 */

export interface AdmissionNeeds extends Pick<Tools, 'clock'> {
  readonly snapshot: () => Pick<Snapshot, 'accounts' | 'logins'>;
  readonly passwords: Pick<Passwords, 'isKnown' | 'isUnderWay' | 'check'>;
  readonly failures: BindFailures;
  readonly sessions: Sessions;
  /** False after the gateway has begun to stop. */
  readonly isTaking: () => boolean;
  readonly nodes: Pick<Nodes, 'isDrained'>;
  readonly bound: (user: string) => void;
  readonly refusals: Pick<RefusalLog, 'noteBind'>;
}

/**
 * The most binds of one network that wait for their check or refusal. Further binds get ESME_RSYSERR, after which
 * clients try again. So no network can keep all threads busy, nor guess passwords faster with more connections.
 */
const strangersMax = 32;

interface Checked {
  readonly address: string;
  readonly isTls: boolean;
  readonly hash: Login['password'] | undefined;
}

const wrong = refusal('ESME_RINVPASWD');
const tryAgain = refusal('ESME_RSYSERR');
const notNow = refusal('ESME_RBINDFAIL');

/** The delay of ESME_RSYSERR for a bind that cannot be checked now. Without it the client would try again at once. */
const tryAgainMs = secondMs;
/** The most binds that wait for a delayed ESME_RSYSERR. A port allows 1,000 unbound connections, so more are rare. */
const tryingAgainMax = 1_000;

/** All SMPP ports share one instance, so that failed binds of an address count on every port. */
export class Admissions {
  readonly #needs: AdmissionNeeds;
  /** The number of binds that count towards `strangersMax`, for each network. */
  readonly #strangers = new Map<string, number>();
  #tryingAgain = 0;

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs;
  }

  /**
   * Checks address, password and then account, so that a stranger learns nothing about an account. A wrong system_id,
   * address or password gets the same answer, after the same time.
   */
  async decide({ bind, address }: BindAttempt, isTls: boolean): Promise<Admission> {
    const { passwords, failures, clock, isTaking, nodes } = this.#needs;
    if (!isTaking()) return tryAgain;
    const arrivedMs = clock.monotonicMs();
    // The client should bind at another node, perhaps through a load balancer.
    if (nodes.isDrained) return this.#later(arrivedMs);
    const network = networkOf(address);
    const delayMs = failures.delayMs(network, arrivedMs);
    const login = this.#loginFor(bind.system_id, address);
    const claimed = { user: bind.system_id, hash: login?.password, password: bind.password };
    if (!passwords.isKnown(claimed)) {
      const hasPlace = this.#enter(network);
      // If many sessions bind with the same login at once, the password is checked once for all of them.
      if (!hasPlace && !passwords.isUnderWay(claimed)) return await this.#later(arrivedMs);
      try {
        const verdict = await passwords.check(claimed, network);
        if (verdict === 'busy' || !isTaking()) return await this.#later(arrivedMs);
        if (verdict === 'wrong') {
          failures.note(network, clock.monotonicMs());
          if (!hasPlace) return await this.#later(arrivedMs);
          return await this.#refuse({ bind, address }, arrivedMs + delayMs - clock.monotonicMs());
        }
      } finally {
        if (hasPlace) this.#leave(network);
      }
    }
    return this.#admit(bind.system_id, arrivedMs, { address, isTls, hash: login?.password });
  }

  async #later(arrivedMs: number): Promise<Admission> {
    if (this.#tryingAgain >= tryingAgainMax) return tryAgain;
    this.#tryingAgain += 1;
    const { clock } = this.#needs;
    await sleep(clock, Math.max(0, arrivedMs + tryAgainMs - clock.monotonicMs()));
    this.#tryingAgain -= 1;
    return tryAgain;
  }

  /** Waits for the full delay even if the client has closed the connection. */
  async #refuse({ bind, address }: Pick<BindAttempt, 'bind' | 'address'>, ms: number): Promise<Admission> {
    await sleep(this.#needs.clock, Math.max(0, ms));
    const { system_id: systemId, password } = bind;
    const { logins } = this.#needs.snapshot();
    const login = logins.get(systemId);
    // Some clients send their password as the system_id. The log must not show it.
    const isPassword = systemId === password || logins.has(password);
    if (!login) this.#needs.refusals.noteBind('unknown system_id', { address, ...(!isPassword && { systemId }) });
    else if (this.#loginFor(systemId, address)) this.#note('wrong password', { address, login });
    else this.#note('address not allowed', { address, login });
    return wrong;
  }

  #note(reason: string, { address, login }: { address: string; login: Login }): void {
    const account = this.#needs.snapshot().accounts.get(login.account)?.name;
    this.#needs.refusals.noteBind(reason, { address, systemId: login.user, account });
  }

  async #admit(systemId: string, arrivedMs: number, checked: Checked): Promise<Admission> {
    const { sessions } = this.#needs;
    const { address, isTls } = checked;
    const before = this.#allowed(systemId, checked);
    if (!before) return tryAgain;
    const { account } = before;
    const reservation = account.status === 'active' ? await sessions.reserveSession(account) : 'suspended';
    if (reservation === 'unavailable') return this.#later(arrivedMs);
    if (typeof reservation === 'string') {
      const reason = reservation === 'suspended' ? 'account suspended' : 'too many binds of the account';
      this.#note(reason, { address, login: before.login });
      return notNow;
    }
    const allowed = this.#allowed(systemId, checked);
    if (allowed?.account.status !== 'active') return tryAgain;
    this.#needs.bound(systemId);
    return {
      kind: 'admitted',
      limits: limitsOf(allowed.account),
      handlers: (session) => sessions.handlers(allowed.login, allowed.account, { session, isTls, reservation }),
    };
  }

  /** Looks up the login again, because the operator may have changed it meanwhile. */
  #allowed(systemId: string, { address, hash }: Checked): { login: Login; account: Account } | undefined {
    const login = this.#loginFor(systemId, address);
    const account = login && this.#needs.snapshot().accounts.get(login.account);
    return account && isAlike(login.password, hash) ? { login, account } : undefined;
  }

  /** Returns undefined if the login is unknown or not allowed from this IP address. */
  #loginFor(systemId: string, address: string): Login | undefined {
    const { accounts, logins } = this.#needs.snapshot();
    const login = logins.get(systemId);
    const account = login && accounts.get(login.account);
    return account && isFrom(account.from, address) && isFrom(login.from, address) ? login : undefined;
  }

  #enter(network: string): boolean {
    const strangers = this.#strangers.get(network) ?? 0;
    if (strangers >= strangersMax) return false;
    this.#strangers.set(network, strangers + 1);
    return true;
  }

  #leave(network: string): void {
    const left = (this.#strangers.get(network) ?? 1) - 1;
    if (left > 0) this.#strangers.set(network, left);
    else this.#strangers.delete(network);
  }
}

function isAlike(one: Login['password'], other: Login['password'] | undefined): boolean {
  return other !== undefined && Buffer.compare(one.hash, other.hash) === 0;
}

function refusal(name: 'ESME_RINVPASWD' | 'ESME_RSYSERR' | 'ESME_RBINDFAIL'): Admission {
  return { kind: 'refused', command_status: statuses[name] };
}

import { networkOf, statuses } from '@morsel/smpp';
import type { Admission, BindAttempt } from '@morsel/smpp';
import type { BindFailures } from '../../core/account/bind-failures.ts';
import type { Login } from '../../core/account/login.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { isFrom } from '../../flow/account/authenticate.ts';
import type { Passwords } from '../../flow/account/passwords.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { RefusalLog } from '../refusal-log.ts';
import { limitsOf } from './sessions.ts';
import type { Sessions } from './sessions.ts';

/*
 * Decides which binds of clients are accepted. Some clients stop for good after RINVPASWD, so the gateway answers it only to a
 * wrong login. Others take RALYBND for success, so the gateway never answers it.
 */

export interface AdmissionNeeds {
  readonly snapshot: () => Pick<Snapshot, 'accounts' | 'logins'>;
  readonly passwords: Pick<Passwords, 'isKnown' | 'isUnderWay' | 'check'>;
  readonly failures: BindFailures;
  readonly sessions: Sessions;
  /** False once the process is stopping. */
  readonly isTaking: () => boolean;
  readonly clock: Clock;
  /** Called after each accepted bind. */
  readonly bound: (systemId: string) => void;
  readonly refusals: Pick<RefusalLog, 'noteBind'>;
}

/**
 * Binds of one network that wait for the check of their password, or for the answer that refuses them. More binds than that
 * are asked to try again. So one network cannot take all threads, nor guess faster with more connections. A host with more
 * logins has all of them bound at the second try.
 */
const strangersMax = 32;

const wrong = refusal('ESME_RINVPASWD');
const tryAgain = refusal('ESME_RSYSERR');
const notNow = refusal('ESME_RBINDFAIL');

/** A client that is asked to try again gets that answer so long after its bind. Otherwise it would try without a pause. */
const tryAgainMs = secondMs;
/** Binds that wait for that answer. There are no more unbound connections than this: any more have been closed already. */
const tryingAgainMax = 1_000;

/** Decides about binds. All ports share one, so that failures of an address count on each of them. */
export class Admissions {
  readonly #needs: AdmissionNeeds;
  /** Binds with a place among `strangersMax`, by network. */
  readonly #strangers = new Map<string, number>();
  #tryingAgain = 0;

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs;
  }

  /**
   * Checks the address first, then the password, then the account, so that strangers learn nothing about an account. A wrong
   * system_id, address or password all take the same work and get the same answer after the same time.
   */
  async decide({ bind, address }: BindAttempt, isTls: boolean): Promise<Admission> {
    const { passwords, failures, clock, isTaking } = this.#needs;
    if (!isTaking()) return tryAgain;
    const arrivedMs = clock.monotonicMs();
    const network = networkOf(address);
    const delayMs = failures.delayMs(network, arrivedMs);
    const login = this.#loginFor(bind.system_id, address);
    const claimed = { systemId: bind.system_id, hash: login?.password, password: bind.password };
    if (!passwords.isKnown(claimed)) {
      const hasPlace = this.#enter(network);
      // When many sessions bind with one login at once, one check of the password serves all of them.
      if (!hasPlace && !passwords.isUnderWay(claimed)) return await this.#later(arrivedMs);
      try {
        const verdict = await passwords.check(claimed, network);
        if (verdict === 'busy' || !isTaking()) return await this.#later(arrivedMs);
        if (verdict === 'wrong') {
          failures.note(network, clock.monotonicMs());
          if (!hasPlace) return await this.#later(arrivedMs);
          return await this.#refuse({ systemId: bind.system_id, address }, arrivedMs + delayMs - clock.monotonicMs());
        }
      } finally {
        if (hasPlace) this.#leave(network);
      }
    }
    return this.#admit(bind.system_id, { address, isTls, hash: login?.password });
  }

  async #later(arrivedMs: number): Promise<Admission> {
    if (this.#tryingAgain >= tryingAgainMax) return tryAgain;
    this.#tryingAgain += 1;
    const { clock } = this.#needs;
    await sleep(clock, Math.max(0, arrivedMs + tryAgainMs - clock.monotonicMs()));
    this.#tryingAgain -= 1;
    return tryAgain;
  }

  /** Waits its time even if the client has hung up. */
  async #refuse({ systemId, address }: { systemId: string; address: string }, ms: number): Promise<Admission> {
    await sleep(this.#needs.clock, Math.max(0, ms));
    const login = this.#needs.snapshot().logins.get(systemId);
    if (!login) this.#note('unknown system_id', { address });
    else if (this.#loginFor(systemId, address)) this.#note('wrong password', { address, login });
    else this.#note('address not allowed', { address, login });
    return wrong;
  }

  #note(reason: string, { address, login }: { address: string; login?: Login }): void {
    const account = login && this.#needs.snapshot().accounts.get(login.account)?.name;
    this.#needs.refusals.noteBind(reason, { address, systemId: login?.systemId, account });
  }

  /** Looks the login up again: the operator may have changed it during the check of the password. */
  #admit(
    systemId: string,
    { address, isTls, hash }: { address: string; isTls: boolean; hash: Login['password'] | undefined },
  ): Admission {
    const login = this.#loginFor(systemId, address);
    const account = login && this.#needs.snapshot().accounts.get(login.account);
    if (!account || !login || !isAlike(login.password, hash)) return tryAgain;
    const reservation = account.status === 'active' ? this.#needs.sessions.reserveSession(account) : undefined;
    if (!reservation) {
      const isSuspended = account.status !== 'active';
      this.#note(isSuspended ? 'account suspended' : 'too many binds of the account', { address, login });
      return notNow;
    }
    this.#needs.bound(systemId);
    return {
      kind: 'admitted',
      limits: limitsOf(account),
      handlers: (session) => this.#needs.sessions.handlers(login, account, { session, isTls, reservation }),
    };
  }

  /** The login of a system_id, if it is allowed from this address. */
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

import { networkOf, statuses } from '@morsel/smpp';
import type { Admission, BindAttempt } from '@morsel/smpp';
import type { BindFailures } from '../../core/account/bind-failures.ts';
import type { Login } from '../../core/account/login.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { isFrom } from '../../flow/account/authenticate.ts';
import type { Passwords } from '../../flow/account/passwords.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { RefusalLog } from '../refusal-log.ts';
import { limitsOf } from './sessions.ts';
import type { Sessions } from './sessions.ts';

/*
 * Who may bind. A client that hears RINVPASWD may stop for good, and one that hears RALYBND thinks that it is bound
 * (smpp-in-the-wild, 11): so the first is for a wrong login alone, and the second is never said.
 */

export interface AdmissionNeeds {
  readonly snapshot: () => Pick<Snapshot, 'accounts' | 'logins'>;
  readonly passwords: Pick<Passwords, 'isKnown' | 'isUnderWay' | 'check'>;
  readonly failures: BindFailures;
  readonly sessions: Sessions;
  readonly isTaking: () => boolean;
  readonly clock: Clock;
  /** A login was bound. */
  readonly bound: (systemId: string) => void;
  readonly refusals: Pick<RefusalLog, 'noteBind'>;
}

/**
 * Binds of one network whose password is being looked at or waits for that, or whose refusal waits for its time. Those beyond are
 * told to come back: nobody guesses faster by not waiting, and one network has threads and places for no more. A host with
 * more logins than that is all bound at its second try.
 */
const strangersMax = 32;

const wrong = refusal('ESME_RINVPASWD');
const ourTrouble = refusal('ESME_RSYSERR');
const notNow = refusal('ESME_RBINDFAIL');

/** From the arrival of a bind to our telling its client to come back: who has no place does not ask us without end. */
const comeBackMs = secondMs;
/** Those who wait for that, as many as there are connections that are not bound: of more the client has hung up. */
const comingBackMax = 1_000;

/** Decides about binds. One of it stands behind all ports, so that an address is known on each. */
export class Admissions {
  readonly #needs: AdmissionNeeds;
  /** Binds with a place among `strangersMax`, by network. */
  readonly #strangers = new Map<string, number>();
  #comingBack = 0;

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs;
  }

  /**
   * Addresses come before the password, and both before what is said of an account: nobody learns that it exists, or how it is,
   * who is not its client. Whatever was wrong of system_id, address and password, the same work is done, and the same answer
   * comes after the same time from the arrival of the bind on.
   */
  async decide({ bind, address }: BindAttempt, isTls: boolean): Promise<Admission> {
    const { passwords, failures, clock, isTaking } = this.#needs;
    if (!isTaking()) return ourTrouble;
    const arrivedMs = clock.monotonicMs();
    const network = networkOf(address);
    const delayMs = failures.delayMs(network, arrivedMs);
    const login = this.#loginFor(bind.system_id, address);
    const claimed = { systemId: bind.system_id, hash: login?.password, password: bind.password };
    if (!passwords.isKnown(claimed)) {
      const hasPlace = this.#enter(network);
      // Of many sessions with one login that are bound at once the first has its password looked at for all.
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
    if (this.#comingBack >= comingBackMax) return ourTrouble;
    this.#comingBack += 1;
    const { clock } = this.#needs;
    await sleep(clock, Math.max(0, arrivedMs + comeBackMs - clock.monotonicMs()));
    this.#comingBack -= 1;
    return ourTrouble;
  }

  /** After a time, whether or not its client waits for it. */
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

  /** By what holds now: the operator may have changed it while we looked at the password. */
  #admit(
    systemId: string,
    { address, isTls, hash }: { address: string; isTls: boolean; hash: Login['password'] | undefined },
  ): Admission {
    const login = this.#loginFor(systemId, address);
    const account = login && this.#needs.snapshot().accounts.get(login.account);
    if (!account || !login || !isAlike(login.password, hash)) return ourTrouble;
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

  /** The login of a system_id, if it may be used from there. */
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

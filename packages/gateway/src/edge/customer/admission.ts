import { setTimeout as sleep } from 'node:timers/promises';
import { networkOf, STATUSES } from '@morsel/smpp';
import type { Admission, BindAttempt } from '@morsel/smpp';
import type { BindFailures } from '../../core/bind-failures.ts';
import type { Login } from '../../core/login.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { isFrom } from '../../flow/authenticate.ts';
import type { Passwords } from '../../flow/passwords.ts';
import { limitsOf } from './sessions.ts';
import type { Sessions } from './sessions.ts';

/*
 * Who may bind. A client that hears RINVPASWD may stop for good, and one that hears RALYBND thinks that it is bound
 * (smpp-in-the-wild, 11): so the first is for a wrong login alone, and the second is never said.
 */

export interface AdmissionNeeds {
  readonly snapshot: () => Pick<Snapshot, 'accounts' | 'logins'>;
  readonly passwords: Pick<Passwords, 'isKnown' | 'check'>;
  readonly failures: BindFailures;
  readonly sessions: Sessions;
  readonly isTaking: () => boolean;
  readonly monotonicMs: () => number;
  /** A login was bound. */
  readonly bound: (systemId: string) => void;
  readonly log: { info(fields: object, message: string): void };
}

/** Refusals of one network that wait for their time. Those beyond are told to come back: nobody guesses faster by not waiting. */
const heldMax = 32;

const wrong = refusal('ESME_RINVPASWD');
const ourTrouble = refusal('ESME_RSYSERR');
const notNow = refusal('ESME_RBINDFAIL');

/** Decides about binds. One of it stands behind all ports, so that an address is known on each. */
export class Admissions {
  readonly #needs: AdmissionNeeds;
  /** Refusals that wait, by network. */
  readonly #held = new Map<string, number>();

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs;
  }

  /**
   * Addresses come before the password, and both before what is said of an account: nobody learns that it exists, or how it is,
   * who is not its client. Whatever was wrong of system_id, address and password, the same work is done, and the same answer
   * comes after the same time from the arrival of the bind on.
   */
  async decide({ bind, address }: BindAttempt, isTls: boolean): Promise<Admission> {
    const { passwords, failures, monotonicMs, isTaking } = this.#needs;
    if (!isTaking()) return ourTrouble;
    const arrivedMs = monotonicMs();
    const network = networkOf(address);
    const delayMs = failures.delayMs(network, arrivedMs);
    const login = this.#loginFor(bind.system_id, address);
    const claimed = { systemId: bind.system_id, hash: login?.password, password: bind.password };
    if (!passwords.isKnown(claimed)) {
      if ((this.#held.get(network) ?? 0) >= heldMax) return ourTrouble;
      const verdict = await passwords.check(claimed);
      if (verdict === 'busy' || !isTaking()) return ourTrouble;
      if (verdict === 'wrong') {
        failures.note(network, monotonicMs());
        await this.#hold(network, arrivedMs + delayMs - monotonicMs());
        // What is no system_id of ours may be a password that stands in the wrong place.
        const systemId = this.#needs.snapshot().logins.has(bind.system_id) ? bind.system_id : null;
        this.#needs.log.info({ address, systemId }, 'a bind with a wrong system_id, password or address was refused');
        return wrong;
      }
    }
    return this.#admit(bind.system_id, { address, isTls, hash: login?.password });
  }

  /** By what holds now: the operator may have changed it while we looked at the password. */
  #admit(
    systemId: string,
    { address, isTls, hash }: { address: string; isTls: boolean; hash: Login['password'] | undefined },
  ): Admission {
    const login = this.#loginFor(systemId, address);
    const account = login && this.#needs.snapshot().accounts.get(login.account);
    if (!account || !login || !isAlike(login.password, hash)) return ourTrouble;
    const reservation = account.status === 'active' ? this.#needs.sessions.reserve(account) : undefined;
    if (!reservation) {
      const why = account.status === 'active' ? 'it has as many sessions as it may' : 'it is suspended';
      this.#needs.log.info({ address, systemId, account: account.name, why }, 'a bind of an account was refused');
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

  /** Whether or not its client waits for it. */
  async #hold(network: string, ms: number): Promise<void> {
    this.#held.set(network, (this.#held.get(network) ?? 0) + 1);
    await sleep(Math.max(0, ms), undefined, { ref: false });
    const left = (this.#held.get(network) ?? 1) - 1;
    if (left > 0) this.#held.set(network, left);
    else this.#held.delete(network);
  }
}

function isAlike(one: Login['password'], other: Login['password'] | undefined): boolean {
  return other !== undefined && Buffer.compare(one.hash, other.hash) === 0;
}

function refusal(name: 'ESME_RINVPASWD' | 'ESME_RSYSERR' | 'ESME_RBINDFAIL'): Admission {
  return { kind: 'refused', command_status: STATUSES[name].value };
}

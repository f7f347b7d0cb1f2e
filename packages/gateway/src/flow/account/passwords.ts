import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import { FairQueue } from '../../core/base/fair-queue.ts';
import type { PasswordHash } from '../../core/account/login.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Tools } from '../ports.ts';

/* Checks the passwords of logins and operators. scrypt is slow, so it runs on other threads. */

/** N, r and p of scrypt (RFC 7914, section 2). Each hash is stored with its cost. */
export type HashCost = Pick<PasswordHash, 'cost' | 'block' | 'lanes'>;

/**
 * One of OWASP's equally strong settings (Password Storage Cheat Sheet): 16 MiB and some 170 ms. Anybody can try to bind,
 * so a check must not need 128 MiB as OWASP's first setting does.
 */
export const owaspCost: HashCost = { cost: 16_384, block: 8, lanes: 5 };

const hashBytes = 32;
const saltBytes = 16;
const keyBytes = 32;

interface Checks {
  readonly atOnce: number;
  /** A check that has waited for this long is given up. */
  readonly waitMaxMs: number;
}

/** Half of libuv's four threads check binds. A bind must succeed within ten seconds. */
const bindChecks: Checks = { atOnce: 2, waitMaxMs: 5 * secondMs };
/** One thread: operators wait longer than clients. The fourth thread looks up files and hashes new passwords. */
export const signInChecks: Checks = { atOnce: 1, waitMaxMs: 20 * secondMs };
/** Checks that wait at most. On an otherwise idle machine, some 60 waiting checks of binds run before they time out. */
const waitingMax = 250;
/** For this long a correct password needs no new scrypt run, so that hundreds of clients can bind again at once. */
const rememberMs = 15 * minuteMs;
/** Correct passwords that are remembered at most. Few stores have more logins than this. */
const rememberedMax = 10_000;

/** The hash is undefined for an unknown user or a wrong address. */
export interface ClaimedLogin {
  readonly user: string;
  readonly hash: PasswordHash | undefined;
  readonly password: string;
}

interface Waiting {
  /** Called with true when the check may run, or with false when other checks took its place in the queue. */
  readonly go: (hasTurn: boolean) => void;
}

export type PasswordVerdict = 'right' | 'wrong' | 'busy';

/**
 * Remembers correct passwords as HMACs, with a key that is only in memory. A changed password has another hash, so its
 * old HMAC is no longer found.
 */
export class Passwords {
  readonly #needs;
  readonly #checks: Checks;
  readonly #key: Uint8Array;
  /** A hash to compare with if the login is unknown, so that the check takes equally long. */
  readonly #nobodys: PasswordHash;
  /** HMACs of correct passwords and when each expires, the oldest first. */
  readonly #remembered = new Map<string, number>();
  /** Checks under way by HMAC. An equal check waits for the same result. */
  readonly #underWay = new Map<string, Promise<PasswordVerdict>>();
  readonly #queue = new FairQueue<Waiting>(waitingMax);
  #running = 0;
  /** Hashes are made one after the other. */
  #making: Promise<unknown> = Promise.resolve();

  constructor(
    needs: Pick<Tools, 'random'> & {
      readonly monotonicMs: () => number;
      readonly cost: HashCost;
      /** Default: the checks of binds. */
      readonly checks?: Checks;
    },
  ) {
    this.#needs = needs;
    this.#checks = needs.checks ?? bindChecks;
    this.#key = needs.random.bytes(keyBytes);
    this.#nobodys = { ...needs.cost, salt: needs.random.bytes(saltBytes), hash: needs.random.bytes(hashBytes) };
  }

  /** Whether the same password was found correct within the last 15 minutes, for the same stored hash. */
  isKnown(claimed: ClaimedLogin): boolean {
    if (!claimed.hash) return false;
    const until = this.#remembered.get(this.#digestOf(claimed));
    return until !== undefined && until > this.#needs.monotonicMs();
  }

  /** Whether the same password is being checked now, so that another check of it costs nothing. */
  isUnderWay(claimed: ClaimedLogin): boolean {
    return this.#underWay.has(this.#digestOf(claimed));
  }

  /**
   * Unknown logins and wrong passwords take as long as correct ones. Networks take turns, so a flood from one network
   * delays the others little. "busy": the queue is full, or the check waited for too long.
   */
  async check(claimed: ClaimedLogin, network: string): Promise<PasswordVerdict> {
    const digest = this.#digestOf(claimed);
    const known = this.#underWay.get(digest);
    if (known) return known;
    const verdict = this.#verify(claimed, digest, network).finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, verdict);
    return verdict;
  }

  /** New passwords do not wait in the queue of checks, so a flood of binds does not delay them. */
  async hash(password: string): Promise<PasswordHash> {
    const made = { ...this.#needs.cost, salt: this.#needs.random.bytes(saltBytes) };
    const derived = this.#making.then(() => derive(password, made));
    this.#making = derived.catch(() => undefined);
    return { ...made, hash: await derived };
  }

  async #verify({ hash, password }: ClaimedLogin, digest: string, network: string): Promise<PasswordVerdict> {
    const wanted = hash ?? this.#nobodys;
    const { monotonicMs } = this.#needs;
    const endsAt = monotonicMs() + this.#checks.waitMaxMs;
    const derived = await this.#inTurn(network, async () =>
      monotonicMs() > endsAt ? undefined : derive(password, wanted),
    );
    if (!derived) return 'busy';
    if (!timingSafeEqual(derived, wanted.hash) || !hash) return 'wrong';
    this.#remember(digest);
    return 'right';
  }

  #remember(digest: string): void {
    this.#remembered.delete(digest);
    this.#remembered.set(digest, this.#needs.monotonicMs() + rememberMs);
    if (this.#remembered.size <= rememberedMax) return;
    const { value } = this.#remembered.keys().next();
    if (value !== undefined) this.#remembered.delete(value);
  }

  #digestOf({ user, hash, password }: ClaimedLogin): string {
    const stored = hash ? Buffer.from(hash.hash).toString('hex') : '';
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([user, stored, password]))
      .digest('base64');
  }

  /** Runs the work in the network's turn. Undefined, without running it, if the queue has no place for it. */
  async #inTurn<T>(network: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#running < this.#checks.atOnce) this.#running += 1;
    else if (!(await this.#turn(network))) return undefined;
    try {
      return await work();
    } finally {
      // The next check in the queue runs in place of this one.
      const next = this.#queue.next();
      if (next) next.go(true);
      else this.#running -= 1;
    }
  }

  #turn(network: string): Promise<boolean> {
    return new Promise((go) => this.#queue.enter(network, { go })?.go(false));
  }
}

function derive(password: string, { salt, cost, block, lanes }: Omit<PasswordHash, 'hash'>): Promise<Uint8Array> {
  // Twice the memory that scrypt needs (RFC 7914, section 6): node:crypto refuses work that comes near its limit.
  const options = { N: cost, r: block, p: lanes, maxmem: 256 * cost * block };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (fault, derived) => (fault ? reject(fault) : resolve(derived)));
  });
}

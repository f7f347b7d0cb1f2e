import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import { FairQueue } from '../../core/base/fair-queue.ts';
import type { PasswordHash } from '../../core/account/login.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

/* Passwords of logins. scrypt is slow by intent: it runs on threads of its own, a few at a time, and the event loop goes on. */

/** What a hash costs: N, r and p of scrypt (RFC 7914, section 2). Each stored hash has its own. */
export type HashCost = Pick<PasswordHash, 'cost' | 'block' | 'lanes'>;

/**
 * The one of OWASP's equally strong settings (Password Storage Cheat Sheet) with the least work among those of 16 MiB or more:
 * some 170 ms each. Binds need no password yet, so a flood of them must not take 128 MiB each.
 */
export const owaspCost: HashCost = { cost: 16_384, block: 8, lanes: 5 };

const hashBytes = 32;
const saltBytes = 16;
const keyBytes = 32;

/** Half of libuv's four threads: files are looked up on the others, and the operator's new passwords made. */
const runningMax = 2;
/** Checks behind them wait for their turn, network by network; on an idle machine some 60 get theirs in time. */
const waitingMax = 250;
/** A bind has ten seconds: a check that has waited this long is useless. */
const waitMaxMs = 5 * secondMs;
/** How long a correct password is remembered without scrypt, so that hundreds of clients can bind again at once. */
const rememberMs = 15 * minuteMs;
/** A login a client, with as many clients as a store is likely to have. */
const rememberedMax = 10_000;

/** The claimed login's hash; undefined for an unknown system_id, or a wrong address. */
export interface ClaimedLogin {
  readonly systemId: string;
  readonly hash: PasswordHash | undefined;
  readonly password: string;
}

/** A check that waits for its turn. */
interface Waiting {
  /** False: it lost its place to others. */
  readonly go: (hasTurn: boolean) => void;
}

export type PasswordVerdict = 'right' | 'wrong' | 'busy';

interface PasswordNeeds {
  readonly random: (bytes: number) => Uint8Array;
  /** Of a clock that never goes back. */
  readonly monotonicMs: () => number;
  /** Of hashes that are made. */
  readonly cost: HashCost;
}

/**
 * Makes and checks hashes. A correct password is remembered by a digest under a key that is never written and ends with
 * the process. A new password has another hash, and so another digest.
 */
export class Passwords {
  readonly #needs: PasswordNeeds;
  readonly #key: Uint8Array;
  /** A claim without a hash is compared with this: as much work as any other. */
  readonly #nobodys: PasswordHash;
  /** Digests of correct passwords with their ends, the oldest first. */
  readonly #remembered = new Map<string, number>();
  /** Checks under way: an equal claim gets the same answer. */
  readonly #underWay = new Map<string, Promise<PasswordVerdict>>();
  readonly #queue = new FairQueue<Waiting>(waitingMax);
  #running = 0;
  /** The newest of the operator's that are being made: at most one for each connection that it may have to us. */
  #making: Promise<unknown> = Promise.resolve();

  constructor(needs: PasswordNeeds) {
    this.#needs = needs;
    this.#key = needs.random(keyBytes);
    this.#nobodys = { ...needs.cost, salt: needs.random(saltBytes), hash: needs.random(hashBytes) };
  }

  /** Whether it was correct a short while ago, with the same hash. */
  isKnown(claimed: ClaimedLogin): boolean {
    if (!claimed.hash) return false;
    const until = this.#remembered.get(this.#digestOf(claimed));
    return until !== undefined && until > this.#needs.monotonicMs();
  }

  /** Whether just that is being checked: an equal claim costs no work. */
  isUnderWay(claimed: ClaimedLogin): boolean {
    return this.#underWay.has(this.#digestOf(claimed));
  }

  /**
   * Checks a password, with the same work for any login, right or wrong. Networks take turns: a network with few checks
   * waits for one check of each other. The verdict is "busy", without any work, if there is no place to wait, or the
   * wait was too long.
   */
  async check(claimed: ClaimedLogin, network: string): Promise<PasswordVerdict> {
    const digest = this.#digestOf(claimed);
    const known = this.#underWay.get(digest);
    if (known) return known;
    const verdict = this.#verify(claimed, digest, network).finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, verdict);
    return verdict;
  }

  /**
   * Makes the stored form of a password. The operator's are made one after the other, beside all checks, so no flood of
   * binds delays them.
   */
  async hash(password: string): Promise<PasswordHash> {
    const made = { ...this.#needs.cost, salt: this.#needs.random(saltBytes) };
    const derived = this.#making.then(() => derive(password, made));
    this.#making = derived.catch(() => undefined);
    return { ...made, hash: await derived };
  }

  async #verify({ hash, password }: ClaimedLogin, digest: string, network: string): Promise<PasswordVerdict> {
    const wanted = hash ?? this.#nobodys;
    const { monotonicMs } = this.#needs;
    const endsAt = monotonicMs() + waitMaxMs;
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

  #digestOf({ systemId, hash, password }: ClaimedLogin): string {
    const stored = hash ? Buffer.from(hash.hash).toString('hex') : '';
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([systemId, stored, password]))
      .digest('base64');
  }

  /** Undefined, without work, for a claim that gets no place to wait, or loses it. */
  async #inTurn<T>(network: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#running < runningMax) this.#running += 1;
    else if (!(await this.#turn(network))) return undefined;
    try {
      return await work();
    } finally {
      // The next one has the place of this one.
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
  // Twice what it takes (RFC 7914, section 6): node:crypto refuses what is near its limit.
  const options = { N: cost, r: block, p: lanes, maxmem: 256 * cost * block };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (fault, derived) => (fault ? reject(fault) : resolve(derived)));
  });
}

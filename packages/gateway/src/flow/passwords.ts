import { createHmac, scrypt, timingSafeEqual } from 'node:crypto';
import type { PasswordHash } from '../core/login.ts';
import { minuteMs, secondMs } from '../core/time.ts';

/* Passwords of logins. scrypt is slow by intent: it runs on threads of its own, a few at a time, and the event loop goes on. */

/** Some 50 ms and 16 MiB each: for 46 bits of chance in ours that is more than enough (RFC 7914, section 2). */
const parameters = { cost: 16_384, block: 8, lanes: 1 };
const hashBytes = 32;
const saltBytes = 16;
const keyBytes = 32;

/** Half of libuv's four threads: files and names are looked up on the others. */
const runningMax = 2;
/** Those behind them wait for their turn, on a machine with nothing else to do for six seconds. */
const waitingMax = 250;
/** A bind has ten seconds: what has waited so long is not worth the work any more. */
const waitMaxMs = 5 * secondMs;
/** How long a password that was right is known as such without scrypt, so that hundreds that bind again do so at once. */
const rememberMs = 15 * minuteMs;
/** A login a client, with as many clients as a store is likely to have. */
const rememberedMax = 10_000;

/** Whose password it is said to be; no hash for a system_id that nobody has, or not from there. */
export interface Claimed {
  readonly systemId: string;
  readonly hash: PasswordHash | undefined;
  readonly password: string;
}

export type Verdict = 'right' | 'wrong' | 'busy';

interface PasswordNeeds {
  readonly random: (bytes: number) => Uint8Array;
  /** Of a clock that never goes back. */
  readonly monotonicMs: () => number;
}

/**
 * Makes and checks hashes. What was right a short while ago is known by a digest under a key that is never written anywhere and
 * ends with the process; a new password has another hash, and so another digest.
 */
export class Passwords {
  readonly #needs: PasswordNeeds;
  readonly #key: Uint8Array;
  /** What a claim without a hash is compared with: as much work as any other. */
  readonly #nobodys: PasswordHash;
  /** Digests of what was right, and until when they count, the oldest first. */
  readonly #remembered = new Map<string, number>();
  /** What is computed just now: who claims the same has the same answer. */
  readonly #underWay = new Map<string, Promise<Verdict>>();
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(needs: PasswordNeeds) {
    this.#needs = needs;
    this.#key = needs.random(keyBytes);
    this.#nobodys = { ...parameters, salt: needs.random(saltBytes), hash: needs.random(hashBytes) };
  }

  /** Whether it was right a short while ago, and is still. */
  isKnown(claimed: Claimed): boolean {
    if (!claimed.hash) return false;
    const until = this.#remembered.get(this.#digestOf(claimed));
    return until !== undefined && until > this.#needs.monotonicMs();
  }

  /** Right or wrong, after the same work whoever's it is; busy, and no work at all, if too many wait already, or it did for too long. */
  async check(claimed: Claimed): Promise<Verdict> {
    const digest = this.#digestOf(claimed);
    const known = this.#underWay.get(digest);
    if (known) return known;
    if (this.#queue.length >= waitingMax) return 'busy';
    const verdict = this.#verify(claimed, digest).finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, verdict);
    return verdict;
  }

  /** What is kept of a password. */
  async hash(password: string): Promise<PasswordHash> {
    const made = { ...parameters, salt: this.#needs.random(saltBytes) };
    return { ...made, hash: await this.#inTurn(() => derive(password, made)) };
  }

  async #verify({ hash, password }: Claimed, digest: string): Promise<Verdict> {
    const wanted = hash ?? this.#nobodys;
    const { monotonicMs } = this.#needs;
    const endsAt = monotonicMs() + waitMaxMs;
    const derived = await this.#inTurn(async () => (monotonicMs() > endsAt ? undefined : derive(password, wanted)));
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

  #digestOf({ systemId, hash, password }: Claimed): string {
    const stored = hash ? Buffer.from(hash.hash).toString('hex') : '';
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([systemId, stored, password]))
      .digest('base64');
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= runningMax) await new Promise<void>((go) => this.#queue.push(go));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next one has the place of this one.
      const next = this.#queue.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

function derive(password: string, { salt, cost, block, lanes }: Omit<PasswordHash, 'hash'>): Promise<Uint8Array> {
  // Twice what it takes (RFC 7914, section 6): node:crypto refuses what is near its limit.
  const options = { N: cost, r: block, p: lanes, maxmem: 256 * cost * block };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (fault, derived) => (fault ? reject(fault) : resolve(derived)));
  });
}

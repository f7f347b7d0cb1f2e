import { createHash, timingSafeEqual } from 'node:crypto';
import { dayMs, minuteMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/*
 * Links with which operators set their password and sign in, each once. They are in the memory of this process only: a restart
 * ends them, and nobody finds one in a backup.
 */

/** How long a link works. */
export const linkMs = 15 * minuteMs;
/** The link of a new gateway waits for its first owner. */
const firstLinkMs = dayMs;
const linkBytes = 24;
/** A new link beyond this number ends the oldest one. */
const linksMax = 100;

interface Link {
  /** Null: of a gateway without operators; its user becomes the first owner. */
  readonly operator: string | null;
  readonly expiresAt: Instant;
  readonly digest: Buffer;
}

export class SignInLinks {
  readonly #random: (bytes: number) => Uint8Array;
  #links: readonly Link[] = [];

  /** The address of the console, once its listener is open. */
  base = '';

  constructor(random: (bytes: number) => Uint8Array) {
    this.#random = random;
  }

  /** Returns a new link. An earlier link of the operator ends. */
  make(operator: string | null, now: Instant): string {
    const secret = Buffer.from(this.#random(linkBytes)).toString('base64url');
    const others = this.#links.filter((each) => each.operator !== operator && each.expiresAt > now);
    const expiresAt = now + (operator === null ? firstLinkMs : linkMs);
    this.#links = [...others.slice(1 - linksMax), { operator, expiresAt, digest: digest(secret) }];
    // A browser sends what is behind # to nobody.
    return `${this.base}/sign-in#${secret}`;
  }

  /** Takes a link, so that no other request has it meanwhile. */
  take(secret: string, now: Instant): Link | undefined {
    const wanted = digest(secret);
    const taken = this.#links.find((each) => timingSafeEqual(each.digest, wanted) && each.expiresAt > now);
    this.#links = this.#links.filter((each) => each !== taken);
    return taken;
  }

  /** Puts a link back that was not used after all. */
  putBack(link: Link): void {
    this.#links = [...this.#links, link].slice(-linksMax);
  }
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

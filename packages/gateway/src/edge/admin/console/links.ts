import { createHash, timingSafeEqual } from 'node:crypto';
import { minuteMs, type Instant } from '@morsel/api/values/time.ts';

/*
 * Links with which operators set their password and sign in; each link works once. Links are only in the memory of this
 * process: a restart ends them, and no backup has them.
 */

export const linkMs = 15 * minuteMs;
const linkBytes = 24;
/** The most links at a time. A further link ends the oldest one. */
const linksMax = 100;

interface Link {
  /** Null for the link of a gateway whose owners cannot sign in: its user becomes the first owner who can sign in. */
  readonly operator: string | null;
  readonly expiresAt: Instant;
  readonly digest: Buffer;
}

export class SignInLinks {
  readonly #random: (bytes: number) => Uint8Array;
  #links: readonly Link[] = [];

  /** The address of the console; set when its listener is open. */
  base = '';

  constructor(random: (bytes: number) => Uint8Array) {
    this.#random = random;
  }

  /** Returns a new link. An earlier link of the operator ends. */
  make(operator: string | null, now: Instant): string {
    const secret = Buffer.from(this.#random(linkBytes)).toString('base64url');
    const others = this.#links.filter((each) => each.operator !== operator && each.expiresAt > now);
    // The link of the first owner works until an owner can sign in.
    const expiresAt = operator === null ? Infinity : now + linkMs;
    this.#keep([...others, { operator, expiresAt, digest: digest(secret) }]);
    // A browser sends the text after # to no server.
    return `${this.base}/sign-in#${secret}`;
  }

  end(operator: string): void {
    this.#links = this.#links.filter((each) => each.operator !== operator);
  }

  /** Takes a link, so that no other request can use it at the same time. */
  take(secret: string, now: Instant): Link | undefined {
    const wanted = digest(secret);
    const taken = this.#links.find((each) => timingSafeEqual(each.digest, wanted) && each.expiresAt > now);
    this.#links = this.#links.filter((each) => each !== taken);
    return taken;
  }

  putBack(link: Link): void {
    this.#keep([...this.#links, link]);
  }

  #keep(links: readonly Link[]): void {
    const first = links.filter(({ operator }) => operator === null);
    this.#links = [...first, ...links.filter(({ operator }) => operator !== null).slice(-linksMax)];
  }
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

import type { IncomingHttpHeaders } from 'node:http';

/** The prefix binds the cookie to this host, its root and TLS (RFC 6265bis, section 4.1.3.2). */
const name = '__Host-morsel';

/** The cookie of a session. Scripts cannot read it, and requests of other places come without it. */
export function sessionCookie(key: string, seconds: number): string {
  return `${name}=${key}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`;
}

/** The key in the cookie of a request; undefined without one. */
export function sessionKeyIn({ cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>): string | undefined {
  const found = cookie.split('; ').find((each) => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

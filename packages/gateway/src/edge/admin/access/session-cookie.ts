import type { IncomingHttpHeaders } from 'node:http';

type Headers = Pick<IncomingHttpHeaders, 'cookie' | 'host'>;

/**
 * The prefix binds the cookie to this host, its root and TLS (RFC 6265bis, section 4.1.3.2). The port that the browser asked is in
 * the name, because browsers share cookies over all ports of a host: another gateway there would replace the session.
 */
function nameFor({ host = '' }: Headers): string {
  const [, port = ''] = /:(\d+)$/.exec(host) ?? [];
  return port === '' ? '__Host-morsel' : `__Host-morsel-${port}`;
}

/** The cookie of a session. Scripts cannot read it, and requests of other places come without it. */
export function sessionCookie(headers: Headers, key: string, seconds: number): string {
  return `${nameFor(headers)}=${key}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`;
}

/** The key in the cookie of a request; undefined without one. */
export function sessionKeyIn(headers: Headers): string | undefined {
  const name = nameFor(headers);
  const found = headers.cookie?.split('; ').find((each) => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

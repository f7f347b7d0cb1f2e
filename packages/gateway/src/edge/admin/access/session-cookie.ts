import type { IncomingHttpHeaders } from 'node:http';

type Headers = Pick<IncomingHttpHeaders, 'cookie' | 'host'>;

/**
 * The prefix binds the cookie to this host, the path `/` and TLS (RFC 6265bis, section 4.1.3.2). The name has the port
 * of the header Host, because browsers share cookies over all ports of a host. Without the port, another gateway on
 * that host would replace the session.
 */
function nameFor({ host = '' }: Headers): string {
  const [, port = ''] = /:(\d+)$/.exec(host) ?? [];
  return port === '' ? '__Host-morsel' : `__Host-morsel-${port}`;
}

/** The cookie of a session. Scripts cannot read it, and browsers do not send it with requests of other sites. */
export function sessionCookie(headers: Headers, key: string, seconds: number): string {
  return `${nameFor(headers)}=${key}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`;
}

/** The session key in the cookie of a request; undefined without a cookie. */
export function sessionKeyIn(headers: Headers): string | undefined {
  const name = nameFor(headers);
  const found = headers.cookie?.split('; ').find((each) => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

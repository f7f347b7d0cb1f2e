import type { IncomingHttpHeaders } from 'node:http';
import { isHost } from '@morsel/api/values/host.ts';
import type { Rejection } from '../../../core/base/rejection.ts';

/*
 * Checks the headers Host and Origin. A web page can make an operator's browser call this listener under the page's own
 * host name. That name then resolves to the listener's address (DNS rebinding). A page cannot do that with an IP
 * address.
 */

/** Refuses a request whose Host is a foreign name, or whose Origin is another site. */
export function checkPlace(
  { host = '', origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>,
  names: readonly string[],
): Rejection | undefined {
  if (!isOurs(host, names)) {
    const detail = `this listener answers to its IP addresses, localhost and the names of MORSEL_ADMIN_NAMES: use one of them, or add the name of the request to MORSEL_ADMIN_NAMES`;
    return { code: 'misdirected', detail };
  }
  if (origin !== undefined && hostOf(origin) !== host.toLowerCase()) {
    return {
      code: 'forbidden',
      detail: 'pages of other places may not call this listener: Origin must be the same as Host',
    };
  }
  return undefined;
}

function isOurs(host: string, names: readonly string[]): boolean {
  const [, v6, other] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/.exec(host) ?? [];
  if (v6 !== undefined) return isHost(v6);
  const name = (other ?? '').toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || names.includes(name) || (/^[\d.]+$/.test(name) && isHost(name));
}

/** The host and port of an origin, as the header Host has them: without the default port (RFC 6454, section 6.2). */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

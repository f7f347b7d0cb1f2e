const addressPattern = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/;
const namePattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
/** Digits and dots alone are an address, and an invalid address is no host name. */
const numbersPattern = /^[\d.]+$/;

/** Whether a socket can be opened to `text` or bound to it: a host name, an IPv4 or an IPv6 address without brackets. */
export function isHost(text: string): boolean {
  if (numbersPattern.test(text)) return addressPattern.test(text);
  if (text.includes(':')) return /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
  return namePattern.test(text);
}

/** `host:port`, with the brackets that an IPv6 address needs before a port (RFC 3986, section 3.2.2). */
export function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const addressPattern = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/;
const namePattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
/** A text of digits and dots must be an IPv4 address: an invalid address is not a host name either. */
const numbersPattern = /^[\d.]+$/;

/** Whether a text is a host name, an IPv4 address, or an IPv6 address without brackets. */
export function isHost(text: string): boolean {
  if (numbersPattern.test(text)) return addressPattern.test(text);
  if (text.includes(':')) return /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`);
  return namePattern.test(text);
}

/** An IPv6 address gets the brackets that it needs before a port (RFC 3986, section 3.2.2). */
export function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

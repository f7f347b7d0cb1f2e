/**
 * Reads the header `Retry-After`, which contains seconds or a date (RFC 9110 section 10.2.3). Returns milliseconds;
 * undefined if the header is missing.
 */
export function retryAfterMsOf(headers: { get(name: string): string | null }): number | undefined {
  const text = headers.get('Retry-After')?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const at = dateOf(text);
  if (at === undefined) return undefined;
  // Uses the `Date` header of the answer as the current time if possible, because our clock may be wrong.
  const now = dateOf(headers.get('Date')) ?? Date.now();
  return Math.max(0, at - now);
}

/** Parses an HTTP date in the only format that servers still use: `Sun, 06 Nov 1994 08:49:37 GMT`. */
function dateOf(text: string | null): number | undefined {
  if (text === null || !/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

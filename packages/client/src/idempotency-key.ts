const octets = 16;

/** A unique key: 128 random bits in hex. */
export function newKey(): string {
  const bytes = new Uint8Array(octets);
  // Node 18 has no global `crypto`. A key must be unique within an account, not secret, so weaker randomness suffices.
  if (globalThis.crypto === undefined) for (const at of bytes.keys()) bytes[at] = Math.floor(Math.random() * 256);
  else globalThis.crypto.getRandomValues(bytes);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

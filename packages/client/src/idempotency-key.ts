const octets = 16;

/** A key that no other message has: 128 random bits in hex. */
export function newKey(): string {
  const bytes = new Uint8Array(octets);
  // Node 18 has no global `crypto`. A key has to be unique within an account, not secret, so that less chance will do.
  if (globalThis.crypto === undefined) for (const at of bytes.keys()) bytes[at] = Math.floor(Math.random() * 256);
  else globalThis.crypto.getRandomValues(bytes);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

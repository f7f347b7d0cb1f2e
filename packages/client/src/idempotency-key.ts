const octets = 16;

/** Makes a unique idempotency key: 128 random bits in hexadecimal. */
export function newKey(): string {
  const bytes = new Uint8Array(octets);
  // Node 18 has no global `crypto`, so Math.random is used. Math.random is good enough for an idempotency key, which
  // must be unique within an account, but need not be secret.
  if (globalThis.crypto === undefined) for (const at of bytes.keys()) bytes[at] = Math.floor(Math.random() * 256);
  else globalThis.crypto.getRandomValues(bytes);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

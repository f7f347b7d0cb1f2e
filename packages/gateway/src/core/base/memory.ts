/* Divides the memory of the process among its parts. The setting MORSEL_MEMORY_MIB names it. */

/** Less is not enough for five threads with their compiled code. */
export const memoryMinMib = 320;

/** More than this makes full load no faster. */
export const memoryUsualMib = 384;

const semiSpaceMaxMib = 64;

export interface MemoryShares {
  /**
   * Size of a semi-space of V8, a power of two. The young generation of a busy thread fills two of them. V8's own limit
   * is 64 MiB.
   */
  readonly semiSpaceMib: number;
  /** Cache of each connection to SQLite. Three have one: to write, to read, and to read prices. */
  readonly cacheKib: number;
  /** Unfinished messages that the writing thread keeps, some 1.3 KiB each. */
  readonly messagesMax: number;
}

export function memoryShares(memoryMib = memoryUsualMib): MemoryShares {
  const shareMib = memoryMib / 24;
  return {
    semiSpaceMib: Math.min(semiSpaceMaxMib, 2 ** Math.floor(Math.log2(shareMib))),
    cacheKib: Math.floor(shareMib * 1_024),
    messagesMax: memoryMib * 10,
  };
}

/*
 * The limits of V8's heap and of malloc for a gateway. Node reads them only at its start, so the process replaces itself
 * with one that has them: same process id, same input and output.
 */

import { totalmem } from 'node:os';
import { memoryMinMib, memoryShares, memoryUsualMib } from '../core/base/memory.ts';

/** The share of a small machine, or of its container, that the gateway takes by default. */
const usualShare = 0.5;
const mib = 1_024 * 1_024;

/** The memory that fits this machine or its container. */
export function usualMemoryMib(): number {
  const machine = totalmem();
  // 0 if it is unknown. Without a limit of the container, it is more than the machine has.
  const container = process.constrainedMemory() || machine;
  const share = Math.floor((Math.min(machine, container) * usualShare) / mib);
  return Math.min(memoryUsualMib, Math.max(memoryMinMib, share));
}

/**
 * A small young generation saves 100 MiB in each of the two busy threads. One thread cleans the little that survives
 * faster than four that wake one another, which saves a tenth of the CPU time of a message. The thread that allocates also
 * sweeps its old pages faster than helpers do: another twentieth. Other threads need less than the limit, so there is no
 * minimum: it would cost 36 MiB.
 *
 * The old generation is cleaned when it has grown by half. By default it may grow to four times its size, and most of it
 * is garbage: rows of messages that outlived the young generation. That is 100 MiB in each of the two busy threads.
 */
function heapFlags(memoryMib: number | undefined): string[] {
  const { semiSpaceMib } = memoryShares(memoryMib);
  return [
    '--no-parallel-scavenge',
    '--no-concurrent-sweeping',
    `--max-semi-space-size=${semiSpaceMib}`,
    '--heap-growing-percent=50',
  ];
}

/** Each arena of malloc keeps freed memory, and glibc makes eight for each core. */
const mallocSettings = { MALLOC_ARENA_MAX: '2' };

/** Call it before most of the program is loaded. It returns in the process that has the limits. */
export function limitHeap(memoryMib: number | undefined, environment: NodeJS.ProcessEnv): void {
  const flags = heapFlags(memoryMib);
  if (process.platform === 'win32' || !process.execve || flags.every((flag) => process.execArgv.includes(flag))) return;
  const args = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...mallocSettings, ...environment });
}

import { readFileSync } from 'node:fs';

/** What a process has used of the machine so far, as Linux counts it; zeros elsewhere. */
export interface Usage {
  /** User and system time of all its threads. */
  readonly cpuMicroseconds: number;
  readonly peakResidentBytes: number;
}

/** USER_HZ, the unit of times in /proc (proc(5)): 100 on every platform that Node runs on. */
const ticksPerSecond = 100;
/** Fields of /proc/PID/stat after the name in brackets, from 0: utime is the 14th of all and stime the 15th (proc(5)). */
const utimeField = 11;
const stimeField = 12;

export function usageOf(pid: number): Usage {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[utimeField]) + Number(fields[stimeField]);
    const peakKib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '0';
    return { cpuMicroseconds: (ticks / ticksPerSecond) * 1_000_000, peakResidentBytes: Number(peakKib) * 1024 };
  } catch {
    return { cpuMicroseconds: 0, peakResidentBytes: 0 };
  }
}

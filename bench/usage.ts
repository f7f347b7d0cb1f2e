import { readdirSync, readFileSync } from 'node:fs';

export const mebibyte = 1024 * 1024;

/** Resources that a process has used, as Linux counts them. On other systems all values are 0. */
export interface Usage {
  /** User and system time of all its threads. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
  readonly peakResidentBytes: number;
}

/** USER_HZ, the unit of times in /proc (proc(5)): 100 on every platform that Node runs on. */
const ticksPerSecond = 100;
/** Fields of /proc/PID/stat after the name in brackets, from 0: utime is the 14th of all and stime the 15th (proc(5)). */
const utimeField = 11;
const stimeField = 12;
/** Of its children that have ended. */
const cutimeField = 13;
const cstimeField = 14;
const parentField = 1;

export function usageOf(pid: number): Usage {
  try {
    const fields = statOf(pid);
    const ticks = Number(fields[utimeField]) + Number(fields[stimeField]);
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? '0') * 1024;
    return {
      cpuMicroseconds: (ticks / ticksPerSecond) * 1_000_000,
      residentBytes: bytes('VmRSS'),
      peakResidentBytes: bytes('VmHWM'),
    };
  } catch {
    return { cpuMicroseconds: 0, residentBytes: 0, peakResidentBytes: 0 };
  }
}

/** Microseconds of CPU that a process and its children have used, those that have ended included. */
export function cpuOfFamily(pid: number): number {
  const own = statOf(pid);
  const ended = Number(own[cutimeField]) + Number(own[cstimeField]);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(Number(name))[parentField] === String(pid))
    .map((name) => usageOf(Number(name)).cpuMicroseconds);
  return children.reduce(
    (sum, each) => sum + each,
    usageOf(pid).cpuMicroseconds + (ended / ticksPerSecond) * 1_000_000,
  );
}

/** The fields of /proc/PID/stat after the name; none if the process has ended. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

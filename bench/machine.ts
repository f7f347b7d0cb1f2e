/* The CPU that other programs take from the machine during a round. */

import { readFileSync } from 'node:fs';
import { tickMicroseconds, usageOf } from './harness.ts';

/** A round in which other programs used a larger share of the machine is repeated. */
export const foreignMax = 0.05;

interface MachineUsage {
  readonly all: number;
  readonly foreign: number;
}

/**
 * Time of all CPUs, in ticks (proc(5), /proc/stat), and the part of it that neither this process nor a child that has
 * ended used. Call it while no child runs. Interrupts do not count: the loopback device works in them for our programs.
 */
export function usageOfMachine(): MachineUsage {
  const [total = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  const ticks = total.split(/\s+/).slice(1, 9).map(Number);
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = ticks;
  const { cpu, cpuOfEnded } = usageOf(process.pid);
  const own = (cpu + cpuOfEnded) / tickMicroseconds;
  return { all: ticks.reduce((sum, each) => sum + each, 0), foreign: user + nice + system + steal - own };
}

export function foreignShare(before: MachineUsage, after: MachineUsage): number {
  return Math.max(0, after.foreign - before.foreign) / (after.all - before.all);
}

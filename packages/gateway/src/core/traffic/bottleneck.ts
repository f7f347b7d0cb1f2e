import type { Bottleneck } from '@morsel/api/admin/running/traffic.ts';

/** Figures that show which side holds messages up. */
export interface Sides {
  readonly isHeld: boolean;
  readonly commands: number;
  readonly queued: number;
  readonly activeCarriers: number;
  readonly linksBound: number;
  readonly linksThrottled: number;
  readonly windowUsed: number;
  readonly windowMax: number;
}

/** More waiting commands than a few commits store. At ten times as many, the gateway refuses messages. */
const commandsMany = 5_000;
const windowFull = 0.8;

/** The side that holds messages up. Queued parts that fit into the windows count as on their way, not as waiting. */
export function bottleneckOf(sides: Sides): Bottleneck {
  const { isHeld, commands, queued, activeCarriers, linksBound, linksThrottled, windowUsed, windowMax } = sides;
  if (isHeld) return 'held';
  if (commands > commandsMany) return 'store';
  if (queued === 0) return 'none';
  if (activeCarriers === 0) return 'carriers';
  if (linksBound === 0) return 'links';
  if (queued <= windowMax) return 'none';
  return linksThrottled === 0 && windowUsed >= windowMax * windowFull ? 'window' : 'pace';
}

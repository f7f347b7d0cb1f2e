import { minuteMs, secondMs } from './time.ts';

const firstDelayMs = 5 * secondMs;
const delayMaxMs = 10 * minuteMs;

/** How long to wait before try number `tries + 1` of a part that a carrier refused for the moment: doubling, to a cap. */
export function retryDelayMs(tries: number): number {
  return Math.min(delayMaxMs, firstDelayMs * 2 ** Math.min(tries - 1, 16));
}

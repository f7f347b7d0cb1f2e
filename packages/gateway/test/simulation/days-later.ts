/*
 * What happens days after a run: the gateway removes old texts, numbers and records, also of messages that end only
 * then. The machine was off meanwhile, so that its clock is far ahead at the next start.
 */

import { dayMs, minuteMs } from '@morsel/api/values/time.ts';
import type { SimCarrier } from './carriers/carrier.ts';
import type { Clients } from './clients/clients.ts';
import type { Machine } from './machine.ts';
import type { Operators } from './operators/operators.ts';
import type { World } from './world.ts';

const twoDays = '172800';
const messages = 6;
/** Longer than the look for old data takes after a start. */
const lookMs = 2 * minuteMs;

export async function daysLater(needs: {
  readonly world: World;
  readonly clients: Clients;
  readonly operators: Operators;
  readonly carriers: Iterable<SimCarrier>;
  readonly machines: readonly Machine[];
}): Promise<void> {
  const { world, clients, operators, carriers, machines } = needs;
  const run = (ms: number) => world.run(world.nowMs + ms);
  world.tell('days later');
  operators.keepOneDay();
  for (const carrier of carriers) carrier.goDown();
  await run(minuteMs);
  for (let sent = 0; sent < messages; sent++) clients.send(twoDays);
  await run(minuteMs);
  for (const days of [1.5, 10]) {
    for (const machine of machines) machine.restartLater(days * dayMs);
    operators.end();
    await run(lookMs);
  }
}

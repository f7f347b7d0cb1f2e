/*
 * The judge of a simulation. It knows only what outsiders saw and what the gateway tells anybody who asks, and nothing
 * of how the gateway works. Each sentence that it returns is a broken promise of ARCHITECTURE.md.
 */

import { judgeEnds } from './ends.ts';
import { judgeInbound } from './inbound.ts';
import { judgeLimits } from './limits.ts';
import { judgeMessages } from './messages.ts';
import { judgeMoney } from './money.ts';
import { judgeNotified } from './notified.ts';
import type { Case, Seen } from './seen.ts';
import { judgePace } from './pace.ts';
import { judgePlaces } from './places.ts';
import { judgeSubmits } from './submits.ts';
import type { Told } from './told.ts';

export function judge(seen: Seen, told: Told): string[] {
  const submits = seen.carriers
    .flatMap((carrier) => carrier.submits)
    .toSorted((one, other) => one.sentAt - other.sentAt);
  const byReceiver = Map.groupBy(submits, ({ receiver }) => receiver);
  const cases = seen.sent.map((message): Case => {
    const parts = Map.groupBy(byReceiver.get(message.receiver) ?? [], ({ place }) => place);
    return { message, name: `message ${message.number}`, parts };
  });
  return [
    ...cases.flatMap((each) => judgeSubmits(each, seen)),
    ...cases.flatMap((each) => judgeMessages(each, seen, told)),
    ...cases.flatMap((each) => judgeEnds(each, seen, told)),
    ...judgeMoney(cases, seen, told),
    ...judgeLimits(seen, told),
    ...judgeInbound(seen, told),
    ...judgeNotified(seen, told),
    ...judgePace(seen),
    ...judgePlaces(cases, told),
  ];
}

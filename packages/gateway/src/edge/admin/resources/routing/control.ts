import { carrierNamed } from '../../../../core/named.ts';
import { invalid, type Rejection } from '../../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { sleep, type Clock } from '../../../../runtime/clock.ts';
import type { Rebound, TestStep } from '../../../../flow/routing/carrier-link.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/*
 * The operator's actions on running links. Each function resolves when the action is done, or when the time limit for a
 * carrier's answers is over.
 */

/** The longest time that the operator waits until links are bound again. After that, the links still try to bind. */
const rebindDeadlineMs = 90 * secondMs;

/**
 * Drains links and binds them again, one after the other, so that the other links still send. Stops with a refusal if a
 * link does not bind.
 */
export async function rebindCarrier(
  needs: Pick<OperatorNeeds, 'snapshot' | 'clock' | 'control'>,
  { carrier: wanted, link }: { readonly carrier: string; readonly link?: number | undefined },
): Promise<Result<unknown, Rejection>> {
  const carrier = carrierNamed(needs.snapshot(), wanted);
  if (!carrier.ok) return carrier;
  const { id, status, links } = carrier.value;
  if (status === 'drained')
    return invalid('carrier', `carrier ${wanted} is drained: use carrier resume ${wanted} to bind its links`);
  if (link !== undefined && link > links) {
    const numbers = links === 1 ? '1, the only link' : `from 1 to ${links}, the links`;
    return invalid('link', `must be ${numbers} of carrier ${wanted}`);
  }
  const ended = await within(needs.clock, rebindDeadlineMs, needs.control.rebind(id, link ?? null));
  if (ended === 'done') return ok(undefined);
  return refused({ code: 'unavailable', detail: notRebound(wanted, ended) });
}

function notRebound(wanted: string, ended: Exclude<Rebound, 'done'> | { readonly silent: string } | 'late'): string {
  if (ended === 'stopped') return stopped(wanted);
  if (ended === 'none')
    return `no node has that link of carrier ${wanted} now; a node takes it within seconds: see carrier show ${wanted}`;
  if (ended === 'late')
    return `carrier ${wanted} is not bound again after ${rebindDeadlineMs / secondMs} s; its links still try to bind: see carrier show ${wanted}`;
  if ('silent' in ended)
    return `node ${ended.silent} has not answered: its links of carrier ${wanted} may not be bound again: see node list`;
  return `link ${ended.link} of carrier ${wanted} is not bound: ${ended.error}; the link still tries to bind: see carrier show ${wanted}`;
}

/**
 * Tests a carrier's settings with extra binds; the carrier's links may stay bound. If a step fails, the answer names
 * the step; this is not a refusal.
 */
export async function testCarrier(
  needs: Pick<OperatorNeeds, 'snapshot' | 'control'>,
  { carrier: wanted }: { readonly carrier: string },
): Promise<Result<{ carrier: string; isDone: boolean; steps: readonly TestStep[] }, Rejection>> {
  const carrier = carrierNamed(needs.snapshot(), wanted);
  if (!carrier.ok) return carrier;
  const steps = await needs.control.test(carrier.value.id);
  if (typeof steps === 'string') return refused({ code: 'unavailable', detail: untested[steps](wanted) });
  return ok({ carrier: wanted, isDone: steps.every(({ isDone }) => isDone), steps });
}

const untested = { busy: (carrier: string) => `another test of carrier ${carrier} is under way`, stopped } as const;

function stopped(carrier: string): string {
  return `carrier ${carrier} does not run: the gateway is stopping, or was started with --hold and waits for morsel resume`;
}

async function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | 'late'> {
  const done = new AbortController();
  const late = sleep(clock, limitMs, done.signal).then(() => 'late' as const);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

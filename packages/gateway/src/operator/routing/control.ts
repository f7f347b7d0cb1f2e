import type { Carrier } from '../../core/routing/carrier.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { sleep } from '../../runtime/clock.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { TestStep } from '../../flow/routing/carrier-link.ts';
import type { NotBound } from '../../flow/routing/running-carrier.ts';
import { setCarrierStatus } from './carriers.ts';
import type { ChangeNeeds } from '../change.ts';
import { invalid } from '../fields.ts';

/*
 * The operator's actions on running links. Each function answers when it is done, within the limits for carriers'
 * answers.
 */

export interface ControlNeeds extends ChangeNeeds {
  readonly snapshot: () => Snapshot;
  readonly clock: Clock;
  readonly control: {
    /**
     * Drains links and binds them again, one after the other. Ends early with the first link that cannot be bound;
     * `stopped` if the carrier does not run.
     */
    rebind(carrier: number, link: number | null): Promise<NotBound | 'stopped' | undefined>;
    /**
     * Makes and ends the binds of one more link, unless another test of the carrier is under way, or it does not run.
     */
    test(carrier: number): Promise<readonly TestStep[] | 'busy' | 'stopped'>;
    /** Ends when no link of the carrier is connecting or closing. */
    settled(carrier: number): Promise<void>;
    /** Parts wait again, for any carrier: every link looks for its own. */
    lookForWaiting(): void;
  };
}

/** How long the operator waits for links to be bound again; binds under way then go on. */
const rebindDeadlineMs = 90 * secondMs;

/** Sends nothing new, finishes the window and unbinds. The links stay down until `resume`, also after restarts. */
export async function drainCarrier(
  needs: ControlNeeds,
  one: { readonly carrier: string },
): Promise<Result<unknown, Rejection>> {
  const set = await setCarrierStatus(needs, one, 'drained');
  const carrier = carrierNamed(needs, one.carrier);
  if (set.ok && carrier.ok) await needs.control.settled(carrier.value.id);
  return set;
}

/**
 * Drains and binds again, one link after the other, so that the others carry on. Refused if one is not bound
 * afterwards.
 */
export async function rebindCarrier(
  needs: ControlNeeds,
  { carrier: wanted, link }: { readonly carrier: string; readonly link?: number | undefined },
): Promise<Result<unknown, Rejection>> {
  const carrier = carrierNamed(needs, wanted);
  if (!carrier.ok) return carrier;
  const { id, status, links } = carrier.value;
  if (status === 'drained') return invalid('carrier', `carrier ${wanted} is drained: resume it to bind it`);
  if (link !== undefined && link > links) return invalid('link', `must be 1 to ${links}, a link of carrier ${wanted}`);
  const ended = await within(needs.clock, rebindDeadlineMs, needs.control.rebind(id, link ?? null));
  if (ended === undefined) return ok(undefined);
  if (ended === 'stopped') return refused({ code: 'unavailable', detail: stopped(wanted) });
  const detail =
    ended === 'late'
      ? `carrier ${wanted} is not bound again after ${rebindDeadlineMs / secondMs} s: it goes on, see carrier show`
      : `link ${ended.link} of carrier ${wanted} is not bound: ${ended.error}; it goes on trying, see carrier show`;
  return refused({ code: 'unavailable', detail });
}

/**
 * Tests a carrier's settings with binds of their own, whatever its links do. A failed step is an answer, not a refusal.
 */
export async function testCarrier(
  needs: ControlNeeds,
  { carrier: wanted }: { readonly carrier: string },
): Promise<Result<{ carrier: string; isDone: boolean; steps: readonly TestStep[] }, Rejection>> {
  const carrier = carrierNamed(needs, wanted);
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

function carrierNamed(needs: Pick<ControlNeeds, 'snapshot'>, wanted: string): Result<Carrier, Rejection> {
  const carrier = [...needs.snapshot().carriers.values()].find((each) => each.name === wanted);
  return carrier ? ok(carrier) : refused({ code: 'does_not_exist', detail: `there is no carrier named ${wanted}` });
}

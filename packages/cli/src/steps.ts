import { refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Failure } from './command.ts';

/** A change of many rows is made in steps: `next` of one is `after` of the following, and null after the last. */
interface Step {
  readonly next: string | null;
  /** All steps change what was there when the first began. */
  readonly until?: number | null;
}

export interface StepPlace {
  readonly after?: string | undefined;
  readonly until?: number | undefined;
}

/**
 * Asks for step after step, and answers the last. What was done stays done, also if a step fails: `soFar` says it, or nothing
 * where nothing was changed yet.
 */
export async function inSteps<S extends Step>(
  ask: (place: StepPlace) => Promise<Result<S, Failure>>,
  { onStep, soFar }: { readonly onStep: (step: S) => void; readonly soFar: () => string | undefined },
): Promise<Result<S, Failure>> {
  for (let place: StepPlace = {}; ;) {
    const step = await ask(place);
    if (!step.ok) {
      const done = soFar();
      const detail = `${step.error.detail} (until then: ${done})`;
      return done === undefined ? step : refused({ ...step.error, detail });
    }
    onStep(step.value);
    if (step.value.next === null) return step;
    place = { after: step.value.next, until: step.value.until ?? undefined };
  }
}

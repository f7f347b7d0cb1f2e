import { refused, type Result } from '@morsel/api/values/result.ts';
import type { Failure } from './command.ts';

/**
 * The answer of one step of a change of many rows. `next` is the `after` of the following step, and null after the last
 * step.
 */
interface Step {
  readonly next: string | null;
  /** The time of the first step. All steps change only rows from before this time. */
  readonly until?: number | null;
}

export interface StepPlace {
  readonly after?: string | undefined;
  readonly until?: number | undefined;
}

/**
 * Runs step after step, and returns the last answer. If a step fails, the changes of earlier steps stay. `soFar`
 * describes these changes, and is undefined if nothing was changed.
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

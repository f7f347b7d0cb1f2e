/* Changes that a form makes. Each is done once, however often the viewer presses, and even if its answer is lost. */

import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { CallFailed } from './client.ts';

interface Change<A, G> {
  readonly change: (key: string, given: G) => Promise<A>;
  readonly onSuccess?: (answer: A) => unknown;
  readonly onError?: () => void;
}

/** The gateway may have made the change, although no answer came. */
function isLost(error: unknown): boolean {
  return error instanceof CallFailed && error.status === 0;
}

/** Whether the gateway has refused the key, because an earlier press with other values was done. */
function isConflict(error: unknown): boolean {
  return error instanceof CallFailed && error.status === 409;
}

/**
 * The key stays until an answer comes. After a lost answer, a conflict is no answer to the first press: a new key would
 * make the change a second time. Presses while a change is under way do nothing.
 */
export function useChange<A, G = void>({ change, ...options }: Change<A, G>) {
  const key = useRef(crypto.randomUUID());
  const isUnderWay = useRef(false);
  const wasLost = useRef(false);
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: (given: G) => change(key.current, given),
    onSettled: (_answer, failure) => {
      isUnderWay.current = false;
      wasLost.current = isLost(failure) || (wasLost.current && isConflict(failure));
      if (!wasLost.current) key.current = crypto.randomUUID();
    },
    ...options,
  });
  const start = (given: G) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    mutate(given);
  };
  return { start, isPending, error, data };
}

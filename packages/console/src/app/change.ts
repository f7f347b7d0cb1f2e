/*
 * Changes that a form makes. Each change is made once, even if the viewer presses several times or the answer is lost.
 */

import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { CallFailed } from './client.ts';

interface Change<A, G> {
  readonly change: (key: string, given: G) => Promise<A>;
  readonly onSuccess?: (answer: A) => unknown;
  readonly onError?: () => void;
}

/** Whether no answer came. The gateway may have made the change all the same. */
function isLost(error: unknown): boolean {
  return error instanceof CallFailed && error.status === 0;
}

/**
 * Whether the gateway refused the idempotency key, because it has made the change of an earlier press with other
 * values.
 */
function isConflict(error: unknown): boolean {
  return error instanceof CallFailed && error.status === 409;
}

/**
 * All presses use the same idempotency key until an answer comes. After a lost answer, a conflict does not say what
 * came of the first press: a new key could make the change a second time. Presses while a change is under way do
 * nothing.
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

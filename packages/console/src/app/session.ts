/* Who is signed in, and what the role may do. */

import { mayCall } from '@morsel/api/admin/access/role.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { calls, CallFailed, valueOf } from './client.ts';

export const sessionKey = ['session'];

const asking = {
  queryKey: sessionKey,
  queryFn: () => valueOf(calls.operator.self()),
  staleTime: Infinity,
  retry: false,
};

export function useSession() {
  return useQuery(asking);
}

/**
 * Returns a function that checks the session. If the session has ended, the viewer gets to the sign-in, as after any
 * request.
 */
export function useAskSession(): () => void {
  const queries = useQueryClient();
  return useCallback(() => void queries.prefetchQuery({ ...asking, staleTime: 0 }), [queries]);
}

/** Whether the viewer's role may call an operation. The gateway checks it again. */
export function useMay(): (operation: Pick<Operation, 'role'>) => boolean {
  const { data } = useSession();
  return ({ role }) => data !== undefined && mayCall(data.role, role);
}

const noContent = 204;

/** Gets the cookie of a session. Throws `CallFailed`. */
export function signIn(way: 'sign-in' | 'link', given: object): Promise<void> {
  return postConsole(way, given);
}

async function postConsole(way: 'sign-in' | 'link' | 'sign-out', given: object): Promise<void> {
  let status = 0;
  let text = '';
  try {
    const answer = await fetch(`/console/${way}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(given),
    });
    ({ status } = answer);
    text = await answer.text();
  } catch {
    throw new CallFailed({ kind: 'unreachable', code: 'no answer' });
  }
  if (status === noContent) return;
  const problem = { code: '', detail: '', ...Object(JSON.parse(text)) };
  throw new CallFailed({ kind: 'refused', status, text, problem });
}

/**
 * Ends the session, and loads a new page, which forgets what the old one showed. Throws `CallFailed` if the session may
 * still hold.
 */
export async function signOut(): Promise<void> {
  await postConsole('sign-out', {});
  location.assign('/sign-in');
}

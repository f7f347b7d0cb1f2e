import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { CallFailed } from './app/client.ts';
import { sessionKey } from './app/session.ts';
import { makeRouter } from './app/router.tsx';
import { applyTheme } from './app/theme.ts';
import './ui/tokens.css';

/* The operator's console: a page that uses the operator's API and nothing else. */

const unauthorized = 401;
const triesMax = 2;

/**
 * A session that has ended is asked for again, so that the page shows the sign-in above itself. Without a session before,
 * the viewer gets to the page of the sign-in, and back afterwards.
 */
function signInAgain(error: unknown, query?: { readonly queryKey: unknown }): void {
  if (!(error instanceof CallFailed) || error.status !== unauthorized || location.pathname.startsWith('/sign-in'))
    return;
  if (queries.getQueryData(sessionKey) === undefined)
    void router.navigate({ to: '/sign-in', search: { next: location.pathname + location.search } });
  else if (query?.queryKey !== sessionKey) void queries.invalidateQueries({ queryKey: sessionKey });
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: signInAgain }),
  mutationCache: new MutationCache({ onError: (error) => signInAgain(error) }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // Only calls without an answer are tried again: a refusal would be refused again.
      retry: (failures, error) => failures < triesMax && error instanceof CallFailed && error.status === 0,
    },
  },
});
const router = makeRouter();

applyTheme();
const root = document.querySelector('#root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

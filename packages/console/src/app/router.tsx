/* Every view and its URL. A page is loaded when it is first opened. */

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  retainSearchParams,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { NotFound } from '../ui/page/way-on.tsx';
import { keptInUrl } from './range.ts';
import { Shell } from './shell.tsx';

/** Filters and places of lists, as texts. */
type Search = Readonly<Record<string, string>>;

function readSearch(search: Readonly<Record<string, unknown>>): Search {
  return Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));
}

const root = createRootRoute({
  component: Outlet,
  validateSearch: readSearch,
  search: { middlewares: [retainSearchParams(keptInUrl)] },
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in.tsx'), 'SignIn'),
});
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Shell });

type Pages = Readonly<Record<string, () => ReactNode>>;

function page<P extends string>(path: P, load: () => Promise<Pages>, name: string) {
  return createRoute({
    getParentRoute: () => inside,
    path,
    component: lazyRouteComponent(load, name),
  });
}

const pages = [
  page('/', () => import('../pages/overview.tsx'), 'Overview'),
  page('/messages', () => import('../pages/messages.tsx'), 'Messages'),
  page('/messages/$id', () => import('../pages/message.tsx'), 'Message'),
  page('/carriers', () => import('../pages/lists.tsx'), 'Carriers'),
  page('/carriers/$name', () => import('../pages/carrier.tsx'), 'Carrier'),
  page('/accounts', () => import('../pages/lists.tsx'), 'Accounts'),
  page('/accounts/$name', () => import('../pages/account.tsx'), 'Account'),
  page('/prices', () => import('../pages/prices.tsx'), 'Prices'),
  page('/prices/$name', () => import('../pages/prices.tsx'), 'PriceList'),
  page('/routes', () => import('../pages/routes.tsx'), 'Routes'),
  page('/routes/change-sets/$name', () => import('../pages/change-set.tsx'), 'ChangeSet'),
  page('/decide', () => import('../pages/decide.tsx'), 'Decide'),
  page('/records', () => import('../pages/records.tsx'), 'Records'),
  page('/records/audit/$id', () => import('../pages/details.tsx'), 'AuditEntry'),
  page('/records/inbound/$id', () => import('../pages/details.tsx'), 'InboundMessage'),
  page('/decide/alarms/$id', () => import('../pages/decide.tsx'), 'Alarm'),
  page('/decide/receipts/$id', () => import('../pages/details.tsx'), 'UnmatchedReceipt'),
  page('/settings', () => import('../pages/settings.tsx'), 'Settings'),
  page('/$', async () => ({ NotFound }), 'NotFound'),
];

export function makeRouter() {
  return createRouter({
    routeTree: root.addChildren([signIn, inside.addChildren(pages)]),
    scrollRestoration: true,
    // Values in the search of a URL are texts, and stay as they are typed.
    stringifySearch: (search) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(search)) if (value !== undefined) query.set(name, String(value));
      const text = query.toString();
      return text === '' ? '' : `?${text}`;
    },
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}

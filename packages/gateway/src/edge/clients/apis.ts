import type { ClientApiName, WebhookMethod } from '@morsel/api/client-apis.ts';
import type { HttpRoute } from '../http/routes.ts';
import type { ClientApi } from './client-api.ts';
import type { ClientDialect, NotificationForm } from './dialect.ts';
import { forms } from './morsel/notify.ts';
import { morselRoutes } from './morsel/routes.ts';

/* The APIs of clients: a closed list. Each has a folder beside this file. */

const dialects: { readonly [Name in ClientApiName]: ClientDialect<Name> } = {
  http: { routes: morselRoutes, forms },
  // Sessions have connections of their own, and get notifications on them.
  smpp: { forms: {} },
};

export const notificationForms: { readonly [Method in WebhookMethod]: NotificationForm } = { ...dialects.http.forms };

export function clientRoutes(api: ClientApi): readonly HttpRoute[] {
  const all: readonly Pick<ClientDialect, 'routes' | 'refuse'>[] = Object.values(dialects);
  return all.flatMap(({ routes, refuse }) => routes?.(api).map((route) => ({ ...route, refuse })) ?? []);
}

import type { ClientApiName, WebhookMethod } from '@morsel/api/client-apis.ts';
import type { ClientDialect, NotificationForm } from './dialect.ts';
import { forms } from './morsel/notify.ts';

/* The APIs of clients: a closed list. Each has a folder beside this file. */

const dialects: { readonly [Name in ClientApiName]: ClientDialect<Name> } = {
  http: { forms },
  // Sessions have connections of their own, and get notifications on them.
  smpp: { forms: {} },
};

export const notificationForms: { readonly [Method in WebhookMethod]: NotificationForm } = { ...dialects.http.forms };

import type { clientApis, ClientApiName } from '@morsel/api/client-apis.ts';
import type { NotificationContent } from '../../core/notification/notification.ts';
import type { Template } from '../../core/notification/template.ts';
import type { HttpRoute, Refuse } from '../http/routes.ts';
import type { ClientApi } from './client-api.ts';

/* What an API of clients is. `apis.ts` lists all of them. */

export interface ClientDialect<Name extends ClientApiName = ClientApiName> {
  /** The requests that it answers over HTTP. */
  readonly routes?: (api: ClientApi) => readonly HttpRoute[];
  /** The answer to a refused request. The default is a problem (RFC 9457). */
  readonly refuse?: Refuse;
  /** The forms in which webhooks get notifications. */
  readonly forms: { readonly [Form in (typeof clientApis)[Name]['forms'][number]]: NotificationForm };
}

export interface NotificationForm {
  write(notification: NotificationContent, to: NotifiedWebhook): WebhookRequest;
  /** Whether the client has taken the notification. The default is a status from 200 to 299. */
  acknowledges?(status: number): boolean;
}

interface NotifiedWebhook {
  /** The path and the query of its URL. */
  readonly path: string;
  readonly query: string;
  readonly template: Template | null;
  /** Whether an operator tries the webhook out. */
  readonly isTest: boolean;
}

export interface WebhookRequest {
  readonly path: string;
  /** Null for a GET. */
  readonly body: string | null;
  readonly type: string | null;
  /** The part of the request that is signed. */
  readonly signed: string;
}

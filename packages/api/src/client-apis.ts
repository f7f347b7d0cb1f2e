/*
 * The APIs of clients: the kind of credential that opens each, and the forms of webhooks that it has. An API without
 * forms notifies its clients in another way.
 */
export const clientApis = {
  http: { opens: 'token', forms: ['post-json', 'post-form', 'get'] },
  smpp: { opens: 'login', forms: [] },
} as const;

export type ClientApiName = keyof typeof clientApis;
/** The way in which a message came. */
export type MessageSource = ClientApiName | 'operator';

/** The kind of credential that opens a way; null for the way of the operators. */
export function credentialOpening(source: MessageSource): 'token' | 'login' | null {
  return source === 'operator' ? null : clientApis[source].opens;
}

/** How a webhook is called. */
export type WebhookMethod = (typeof clientApis)[ClientApiName]['forms'][number];
export const webhookMethods: readonly WebhookMethod[] = Object.values(clientApis).flatMap(({ forms }) => forms);

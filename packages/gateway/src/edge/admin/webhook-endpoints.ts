export interface AdminEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `:name` stands for a field that is given in the path; the others come in the query of a GET or DELETE, or in the body. */
  readonly path: string;
  readonly summary: string;
}

/** What the operator's API serves of webhooks and of what accounts are told. */
export const webhookEndpoints = {
  webhooks: { method: 'GET', path: '/admin/webhooks', summary: 'The webhooks of an account, or all' },
  addWebhook: { method: 'POST', path: '/admin/webhooks', summary: 'Make a webhook; its secret is shown this once' },
  webhook: { method: 'GET', path: '/admin/webhooks/:webhook', summary: 'One webhook' },
  setWebhook: { method: 'POST', path: '/admin/webhooks/:webhook/settings', summary: 'Change a webhook' },
  testWebhook: {
    method: 'POST',
    path: '/admin/webhooks/:webhook/test',
    summary: 'Send it a made-up event of a kind that it gets, and see its answer',
  },
  pauseWebhook: { method: 'POST', path: '/admin/webhooks/:webhook/pause', summary: 'Tell it nothing for now' },
  resumeWebhook: { method: 'POST', path: '/admin/webhooks/:webhook/resume', summary: 'Tell it what waits, at once' },
  removeWebhook: {
    method: 'DELETE',
    path: '/admin/webhooks/:webhook',
    summary: 'Remove a webhook: what waits for it is dead letters',
  },
  webhookSecrets: {
    method: 'GET',
    path: '/admin/webhooks/:webhook/secrets',
    summary: 'Which secrets sign, by their ids',
  },
  addWebhookSecret: {
    method: 'POST',
    path: '/admin/webhooks/:webhook/secrets',
    summary: 'Have one more secret sign, shown this once',
  },
  removeWebhookSecret: {
    method: 'DELETE',
    path: '/admin/webhooks/:webhook/secrets/:secret',
    summary: 'Have a secret sign no more',
  },
  notifications: { method: 'GET', path: '/admin/notifications', summary: 'What accounts are told, the newest first' },
  notification: {
    method: 'GET',
    path: '/admin/notifications/:notification',
    summary: 'One notification, with its failed tries',
  },
  replayNotifications: {
    method: 'POST',
    path: '/admin/notifications/replay',
    summary: 'Have dead letters told again, some hundred at a time',
  },
} as const satisfies { readonly [name: string]: AdminEndpoint };

/**
 * - `missing_header`: one of the three headers of Standard Webhooks is missing.
 * - `bad_timestamp`: the request was signed too long ago, or one of the two clocks is wrong.
 * - `bad_signature`: no signature of the request matches one of the secrets.
 * - `too_large`: the body of the request is too large.
 * - `unreadable`: the signature is correct, but the payload is not a notification. The operator may have renamed the
 *   fields of the notification.
 */
export type WebhookErrorCode = 'missing_header' | 'bad_timestamp' | 'bad_signature' | 'too_large' | 'unreadable';

/**
 * The error for a request that cannot be trusted or read. The error contains nothing of the request's content and no
 * secret.
 */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

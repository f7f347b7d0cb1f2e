export { toMicros, type Decimal } from './amount.ts';
export type { Fetch, FetchAnswer } from './exchange.ts';
export { Morsel, type CallOptions, type DlrOptions, type MorselOptions, type WaitOptions } from './morsel.ts';
export { MorselError, type ErrorKind, type LocalCode } from './morsel-error.ts';
export type { AlertNotice, InboundNotice, Notice, ReceiptNotice, UnknownNotice } from './notices.ts';
export type { KnownProblemCode, Problem, ProblemCode } from './problem.ts';
export {
  isFinal,
  type Balance,
  type DeliveryEvent,
  type DeliveryReport,
  type FinalEvent,
  type KnownEvent,
  type PartReport,
  type PendingEvent,
  type Quote,
  type SendResult,
} from './results.ts';
export { WebhookError, type WebhookErrorCode } from './webhook-error.ts';
export {
  Webhook,
  type Delivery,
  type DeliveryHeaders,
  type FetchRequest,
  type Verified,
  type VerifiedNotice,
  type WebhookOptions,
} from './webhook.ts';
export type { Message } from './message-fields.ts';

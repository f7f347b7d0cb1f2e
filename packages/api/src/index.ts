export { endpoints, type Endpoint, type NamedHeader } from './endpoints.ts';
export {
  notifications,
  type AlertNotification,
  type InboundMessage,
  type Notification,
  type ReceiptNotification,
} from './notifications.ts';
export { openApiDocument } from './openapi.ts';
export { pathsOf } from './paths.ts';
export { problems, problemType, type ProblemCode, type ProblemKind } from './problems.ts';
export {
  Balance,
  BalanceRequest,
  CancelRequest,
  dcsValues,
  deliveryEvents,
  DeliveryReport,
  DeliveryRequest,
  Problem,
  Quote,
  SendRequest,
  SendResult,
  Status,
  type DeliveryEvent,
} from './shapes.ts';

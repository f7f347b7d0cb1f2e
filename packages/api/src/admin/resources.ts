import { audit } from './access/audit.ts';
import { operator } from './access/operator.ts';
import { operatorKey } from './access/operator-key.ts';
import { cdr } from './message/cdr.ts';
import { carrier } from './routing/carrier.ts';
import { alarm } from './alarm/alarm.ts';
import { alarmReceiver } from './alarm/receiver.ts';
import { account } from './account/account.ts';
import { keyword } from './number/keyword.ts';
import { login } from './account/login.ts';
import { ledger } from './money/ledger.ts';
import { posting } from './money/posting.ts';
import { message } from './message/message.ts';
import { number } from './number/number.ts';
import { event } from './notification/event.ts';
import { optOut } from './number/opt-out.ts';
import { inbound } from './message/inbound.ts';
import { price } from './money/price.ts';
import { receipt } from './message/receipt.ts';
import { route } from './routing/route.ts';
import { refusal } from './account/refusal.ts';
import { session } from './account/session.ts';
import { token } from './account/token.ts';
import { changeSet } from './running/change-set.ts';
import { config } from './running/config.ts';
import { job } from './running/job.ts';
import { gateway } from './running/gateway.ts';
import { privacy } from './privacy/privacy.ts';
import { encryptionKey } from './privacy/encryption-key.ts';
import { retention } from './privacy/retention.ts';
import { traffic } from './running/traffic.ts';
import { node } from './running/node.ts';
import { notification } from './notification/notification.ts';
import { webhookSecret } from './notification/webhook-secret.ts';
import { webhook } from './notification/webhook.ts';

/** Resources in the order in which help and OpenAPI show them. */
export const resources = {
  account,
  posting,
  alarm,
  alarmReceiver,
  ledger,
  token,
  login,
  session,
  refusal,
  carrier,
  route,
  price,
  message,
  job,
  cdr,
  receipt,
  number,
  keyword,
  inbound,
  webhook,
  webhookSecret,
  notification,
  event,
  optOut,
  retention,
  encryptionKey,
  privacy,
  node,
  traffic,
  operator,
  operatorKey,
  audit,
  changeSet,
  config,
  gateway,
} as const;

export type Resources = typeof resources;

/** The name of an operation, such as `token.revoke`. */
export type OperationName = {
  readonly [R in keyof Resources]: `${R}.${keyof Resources[R]['operations'] & string}`;
}[keyof Resources];

export type OperationNamed<N extends OperationName> = N extends `${infer R extends keyof Resources}.${infer O}`
  ? Resources[R]['operations'][O & keyof Resources[R]['operations']]
  : never;

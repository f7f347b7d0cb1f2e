/* All views by name, for `Reader.ask`. A view reads the store and returns an answer. */

import { readIdempotency } from './message/idempotency.ts';
import { accountViews, readBalance, readPayer } from './account/accounts.ts';
import { readBrokenLimit } from './account/limits.ts';
import { alarmViews, countOpenAlarms, readAlarmState } from './alarm/alarms.ts';
import { alarmReceiverViews, readAlarmReceiver, readDueNotices, readHeartbeats } from './alarm/receivers.ts';
import { changeSetViews, readChangeSet } from './access/change-sets.ts';
import { carrierViews, readCarriers } from './routing/carriers.ts';
import { inboundViews } from './message/inbound.ts';
import { cdrViews } from './message/cdr-check.ts';
import { readShownRules } from './routing/shown-rules.ts';
import { checkLedger, ledgerViews } from './money/ledger-check.ts';
import { auditViews } from './access/audit.ts';
import {
  operatorViews,
  readConfigState,
  readOperatorRequest,
  readOperatorSignIn,
  readOwnerSignIn,
} from './access/operators.ts';
import { tokenViews } from './account/tokens.ts';
import { encryptionKeyViews } from './account/encryption-keys.ts';
import { loginViews } from './account/logins.ts';
import { messageViews } from './message/find-messages.ts';
import { readReport, readMessage } from './message/messages.ts';
import { notificationViews } from './notification/notification-list.ts';
import { readDueNotifications, readListenEvent } from './notification/notifications.ts';
import { priceViews, readPriceImports, readPriceLists, readPriceTable } from './money/prices.ts';
import { readPriceImport, readPriceWithdrawal } from './money/price-import.ts';
import { numberViews } from './number/numbers.ts';
import { optOutViews, readOptOutOf } from './number/opt-outs.ts';
import { receiptViews } from './message/unmatched-receipts.ts';
import { readAccepted, readAcceptedCounts } from './message/accepted.ts';
import type { Queries } from './queries.ts';
import type { View } from './view.ts';
import type { OperationName } from '@morsel/api/admin/resources.ts';
import { readRoutesToFollow, routeViews } from './routing/routes.ts';
import { refusalViews } from './account/refusals.ts';
import { readDueMessages } from './message/scheduled.ts';
import { readDueWork } from './message/due-work.ts';
import { readPresent, trafficViews } from './running/traffic.ts';
import { jobViews, readBulkRows, readRunningJobs } from './running/jobs.ts';
import { readFigures } from './running/figures.ts';
import { readSettings } from './routing/settings.ts';
import { postingViews } from './money/statement.ts';
import { lookForNumber, privacyViews, readErasures, readNumberLeft, readOpenErasure } from './privacy/erasures.ts';
import { readNumberRows } from './privacy/number-rows.ts';
import { readRetention, retentionViews } from './privacy/retention.ts';
import { totals } from './money/totals.ts';
import { readWaiting, readWaitingMessage } from './message/waiting.ts';
import { webhookViews } from './notification/webhooks.ts';

const ofOperations = {
  ...accountViews,
  ...alarmReceiverViews,
  ...alarmViews,
  ...auditViews,
  ...carrierViews,
  ...changeSetViews,
  ...cdrViews,
  ...encryptionKeyViews,
  ...inboundViews,
  ...jobViews,
  ...ledgerViews,
  ...loginViews,
  ...messageViews,
  ...notificationViews,
  ...numberViews,
  ...operatorViews,
  ...optOutViews,
  ...postingViews,
  ...priceViews,
  ...privacyViews,
  ...receiptViews,
  ...refusalViews,
  ...retentionViews,
  ...routeViews,
  ...tokenViews,
  ...trafficViews,
  ...webhookViews,
  'gateway.totals': totals,
} satisfies { readonly [N in OperationName]?: View<N> };

export type ViewedName = keyof typeof ofOperations;

/** All views. Each is a function of one input, and reads one state of the database. */
const list = {
  ...ofOperations,
  settings: readSettings,
  accepted: readAccepted,
  acceptedCounts: readAcceptedCounts,
  report: readReport,
  balance: readBalance,
  payer: readPayer,
  brokenLimit: readBrokenLimit,
  idempotency: readIdempotency,
  alarmState: readAlarmState,
  openAlarms: countOpenAlarms,
  heartbeats: readHeartbeats,
  dueNotices: readDueNotices,
  alarmReceiver: readAlarmReceiver,
  ledgerCheck: checkLedger,
  carriers: readCarriers,
  routesToFollow: readRoutesToFollow,
  priceTable: readPriceTable,
  priceLists: readPriceLists,
  priceImport: readPriceImport,
  priceWithdrawal: readPriceWithdrawal,
  priceImports: readPriceImports,
  message: readMessage,
  waiting: readWaiting,
  waitingMessage: readWaitingMessage,
  dueMessages: readDueMessages,
  dueWork: readDueWork,
  dueNotifications: readDueNotifications,
  listenEvent: readListenEvent,
  configState: readConfigState,
  changeSet: readChangeSet,
  retention: readRetention,
  figures: readFigures,
  present: readPresent,
  runningJobs: readRunningJobs,
  bulkRows: readBulkRows,
  erasures: readErasures,
  openErasure: readOpenErasure,
  numberLeft: readNumberLeft,
  numberLook: lookForNumber,
  numberRows: readNumberRows,
  shownRules: readShownRules,
  optOutOf: readOptOutOf,
  operatorSignIn: readOperatorSignIn,
  operatorRequest: readOperatorRequest,
  ownerSignIn: readOwnerSignIn,
} satisfies { [name: string]: (queries: Queries, input: never) => Promise<unknown> };

export type ViewName = keyof typeof list;
export type ViewInput<V extends ViewName> = Parameters<(typeof list)[V]>[1];
type ViewAnswers = { readonly [V in ViewName]: Awaited<ReturnType<(typeof list)[V]>> };
export type ViewAnswer<V extends ViewName> = ViewAnswers[V];

/** The types of `Reader.ask` ensure that the input is that of the named view. */
export async function readView(queries: Queries, name: ViewName, input: unknown): Promise<unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return list[name](queries, input as never);
}

/** The buffers of an answer that are moved to the other thread, not copied. Only price tables are large enough. */
export function transferredWith(name: ViewName, answer: unknown): ArrayBuffer[] {
  if (name !== 'priceTable' || typeof answer !== 'object' || answer === null) return [];
  return Object.values(answer).flatMap((each: unknown) =>
    ArrayBuffer.isView(each) && each.buffer instanceof ArrayBuffer ? [each.buffer] : [],
  );
}

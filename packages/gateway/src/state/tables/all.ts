/* All tables, each after those that it refers to: rows are written in this order, and deleted in the reverse one. */

import { nodeTable, totalTable } from './node.ts';
import { trafficSlotTable } from './alarm/traffic.ts';
import {
  auditEntryTable,
  auditHeadTable,
  changeSetTable,
  configStateTable,
  jobTable,
  operatorKeyTable,
  operatorRequestTable,
  operatorSignInTable,
  operatorTable,
} from './access.ts';
import {
  accountLimitTable,
  accountTable,
  encryptionKeyTable,
  limitCountTable,
  loginTable,
  refusalHourTable,
  refusalTable,
  ruleHitTable,
  ruleSlotTable,
  tokenDayTable,
  tokenTable,
} from './account.ts';
import {
  alarmNoticeTable,
  alarmReportTable,
  alarmQuietTable,
  alarmReceiverTable,
  alarmSettingTable,
  alarmTable,
} from './alarm/alarm.ts';
import { inboundPartTable, inboundTable, joinedTable, keywordTable, numberTable, repeatTable } from './inbound.ts';
import { dialectTable, evidenceTable, learningTable } from './learning.ts';
import { entryTable } from './ledger.ts';
import {
  attemptTable,
  cdrTable,
  doubtTable,
  idempotencyKeyTable,
  messageTable,
  noteTable,
  partTable,
  queueTable,
  referenceTable,
  scheduledTable,
  taggedTable,
} from './message.ts';
import { notificationTable, notificationTryTable } from './notification.ts';
import { optOutEventTable, optOutHandlingTable, optOutTable, optOutWordTable } from './opt-out.ts';
import { priceBaseTable, priceImportTable, priceListTable, priceVersionTable, unitPriceTable } from './price.ts';
import { erasureTable } from './privacy/erasure.ts';
import { leftBehindTable, numberKeyTable, removedChargeTable, retentionTable } from './privacy/removal.ts';
import { unmatchedReceiptTable } from './receipt.ts';
import { carrierSlotTable, carrierTable, routeCarrierTable, routeTable, routeToFollowTable } from './route.ts';
import type { Change, Table } from './table.ts';
import { webhookSecretTable, webhookTable } from './webhook.ts';

export const allTables: readonly Table<{ change: Change }>[] = [
  nodeTable,
  operatorTable,
  operatorKeyTable,
  operatorSignInTable,
  operatorRequestTable,
  auditEntryTable,
  auditHeadTable,
  priceListTable,
  priceVersionTable,
  priceBaseTable,
  unitPriceTable,
  priceImportTable,
  accountTable,
  encryptionKeyTable,
  accountLimitTable,
  limitCountTable,
  ruleHitTable,
  ruleSlotTable,
  refusalTable,
  refusalHourTable,
  tokenTable,
  tokenDayTable,
  loginTable,
  webhookTable,
  webhookSecretTable,
  carrierTable,
  routeTable,
  routeCarrierTable,
  routeToFollowTable,
  carrierSlotTable,
  trafficSlotTable,
  totalTable,
  learningTable,
  evidenceTable,
  dialectTable,
  entryTable,
  messageTable,
  partTable,
  attemptTable,
  cdrTable,
  queueTable,
  scheduledTable,
  taggedTable,
  doubtTable,
  unmatchedReceiptTable,
  noteTable,
  referenceTable,
  idempotencyKeyTable,
  numberTable,
  keywordTable,
  inboundTable,
  inboundPartTable,
  joinedTable,
  repeatTable,
  optOutEventTable,
  optOutTable,
  optOutHandlingTable,
  optOutWordTable,
  notificationTable,
  notificationTryTable,
  configStateTable,
  jobTable,
  changeSetTable,
  retentionTable,
  leftBehindTable,
  removedChargeTable,
  numberKeyTable,
  erasureTable,
  alarmTable,
  alarmSettingTable,
  alarmQuietTable,
  alarmReceiverTable,
  alarmNoticeTable,
  alarmReportTable,
];

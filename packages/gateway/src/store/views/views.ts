import type { DatabaseSync } from 'node:sqlite';
import { countAlerts, readAccount, readAccounts, readAlerts, readBalance, readPayer, readTokens } from './accounts.ts';
import { readCarrierCosts } from './carrier-costs.ts';
import { readCarriers } from './carriers.ts';
import { readIdempotency } from './idempotency.ts';
import { findInbound, readInbound } from './inbound.ts';
import { readInDoubt } from './in-doubt.ts';
import { readLearned } from './learned.ts';
import { checkLedger } from './ledger-check.ts';
import { readLogins } from './logins.ts';
import { findMessages } from './find-messages.ts';
import { readDelivery, readMessage } from './messages.ts';
import { findNotices, readNoticeView } from './notice-list.ts';
import { readDueNotices, readHeard } from './notices.ts';
import { findKeywords, readNumbers } from './numbers.ts';
import { findOptOutEvents, findOptOuts, readOptOutHandling, readOptOutOf } from './opt-outs.ts';
import { findParked, readParked } from './parked-receipts.ts';
import {
  readPriceImports,
  readPriceLists,
  readPricePage,
  readPriceTable,
  readPriceText,
  readPriceVersions,
} from './prices.ts';
import { Queries } from './queries.ts';
import { readRoutes, readRoutesToFollow } from './routes.ts';
import { readRuleHits } from './rule-hits.ts';
import { readDueReleases } from './scheduled.ts';
import { readSettings } from './settings.ts';
import { readBalanceAt, readStatement } from './statement.ts';
import { readTotals } from './totals.ts';
import { readWaiting, readWaitingMessage } from './waiting.ts';
import { readWebhookReach } from './webhook-reach.ts';
import { readWebhooks } from './webhooks.ts';

/** The closed list of what is ever read, each a function of one input over one snapshot. */
const list = {
  settings: readSettings,
  delivery: readDelivery,
  balance: readBalance,
  payer: readPayer,
  idempotency: readIdempotency,
  accounts: readAccounts,
  account: readAccount,
  alerts: readAlerts,
  alertCount: countAlerts,
  statement: readStatement,
  balanceAt: readBalanceAt,
  ledgerCheck: checkLedger,
  tokens: readTokens,
  logins: readLogins,
  carriers: readCarriers,
  carrierCosts: readCarrierCosts,
  routes: readRoutes,
  routesToFollow: readRoutesToFollow,
  priceTable: readPriceTable,
  priceLists: readPriceLists,
  priceVersions: readPriceVersions,
  pricePage: readPricePage,
  priceText: readPriceText,
  priceImports: readPriceImports,
  message: readMessage,
  messages: findMessages,
  inDoubt: readInDoubt,
  waiting: readWaiting,
  waitingMessage: readWaitingMessage,
  inbound: findInbound,
  inboundMessage: readInbound,
  numbers: readNumbers,
  keywords: findKeywords,
  dueReleases: readDueReleases,
  dueNotices: readDueNotices,
  notices: findNotices,
  notice: readNoticeView,
  webhooks: readWebhooks,
  webhookReach: readWebhookReach,
  heard: readHeard,
  ruleHits: readRuleHits,
  totals: readTotals,
  learned: readLearned,
  parkedReceipts: findParked,
  parkedReceipt: readParked,
  optOutOf: readOptOutOf,
  optOuts: findOptOuts,
  optOutEvents: findOptOutEvents,
  optOutHandling: readOptOutHandling,
} satisfies { [name: string]: (queries: Queries, input: never) => unknown };

export type ViewName = keyof typeof list;
export type ViewInput<V extends ViewName> = Parameters<(typeof list)[V]>[1];
export type ViewAnswer<V extends ViewName> = ReturnType<(typeof list)[V]>;

/** The views over one connection. The input belongs to the view that is named: `Reader.ask` keeps the two together. */
export function views(database: DatabaseSync): (name: ViewName, input: unknown) => unknown {
  const queries = new Queries(database);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (name, input) => queries.snapshot(() => list[name](queries, input as never));
}

/** What of an answer changes its thread and is not copied: of all views only a table of prices is large. */
export function transferredWith(name: ViewName, answer: unknown): ArrayBuffer[] {
  if (name !== 'priceTable' || typeof answer !== 'object' || answer === null) return [];
  return Object.values(answer).flatMap((each: unknown) =>
    ArrayBuffer.isView(each) && each.buffer instanceof ArrayBuffer ? [each.buffer] : [],
  );
}

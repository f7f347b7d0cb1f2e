import { ok } from '@morsel/api/values/result.ts';
import type { AnyResult, Command } from '../commands/commands.ts';
import { touch } from '../tables/rows.ts';
import type { Rows } from '../tables/rows.ts';
import { decideAccept } from './message/accept.ts';
import { raise } from './notification/alert.ts';
import { decideAdjust, decideTopUp } from './money/posting.ts';
import { decideCancel } from './message/cancel.ts';
import { decideClaim } from './message/claim.ts';
import { decideExpireInbound, decideInbound } from './message/inbound.ts';
import { decideExpectRepeat, decideInboundAnswered } from './message/inbound-repeat.ts';
import {
  decideExpireNotifications,
  decideForgetNotifications,
  decideWakeNotifications,
} from './notification/notification.ts';
import { decideNotificationTried } from './notification/tried.ts';
import { decideLogin } from './account/login.ts';
import { decideAddKeyword, decideRemoveKeyword } from './number/keyword.ts';
import { decideAddNumber, decideRemoveNumber, decideSetNumber } from './number/number.ts';
import {
  decideAddOptOuts,
  decideRemoveOptOut,
  decideSetOptOutHandling,
  decideSetOptOutWord,
} from './number/opt-out.ts';
import { decideOutcome } from './message/outcome.ts';
import { decideRematch } from './message/unmatched.ts';
import {
  decideBeginPriceImport,
  decidePublishPrices,
  decideRemovePriceList,
  decideSetPriceBase,
  decideSetPrices,
  decideStagePrices,
  decideSweepPrices,
  decideWithdrawPrices,
} from './money/prices.ts';
import { decideReceipt } from './message/receipt.ts';
import { decideQueueDue } from './message/schedule.ts';
import { decideReplayInbound } from './notification/replay-inbound.ts';
import { decideReplayNotifications, decideSweepNotifications } from './notification/replay.ts';
import { decideSettleDoubt } from './message/settle-doubt.ts';
import { decideRemoveAccount } from './account/remove-account.ts';
import { decideReroute } from './routing/reroute.ts';
import { decideAddRoute, decideRemoveRoute, decideSetRoute } from './routing/route.ts';
import {
  decideAddWebhook,
  decideAddWebhookSecret,
  decideRemoveWebhook,
  decideRemoveWebhookSecret,
  decideSetWebhook,
  decideSetWebhookStatus,
} from './notification/webhook.ts';
import { decideBegin, decideCutBack } from './process.ts';
import { decideAddToken, decideRevokeToken, decideRotateToken } from './account/token.ts';
import { addTokenUse } from '../commands/counts.ts';
import { decideAddAccount, decideSetAccount, decideSetAccountStatus } from './account/account.ts';
import { decideAddCarrier, decideSetCarrier, decideSetCarrierStatus } from './routing/carrier.ts';
import { decideExpire } from './message/deadline.ts';

/**
 * Decides one command: changes the loaded rows, and returns the result. It does no input or output, so every store
 * engine uses it unchanged.
 */
export function decide(rows: Rows, command: Command): AnyResult {
  switch (command.kind) {
    case 'accept':
      return decideAccept(rows, command);
    case 'claim':
      return decideClaim(rows, command);
    case 'outcome':
      return decideOutcome(rows, command);
    case 'receipt':
      return decideReceipt(rows, command);
    case 'rematch':
      return decideRematch(rows, command);
    case 'inbound':
      return decideInbound(rows, command);
    case 'inbound-answered':
      return decideInboundAnswered(rows, command);
    case 'expect-repeat':
      return decideExpectRepeat(rows, command);
    case 'expire-inbound':
      return decideExpireInbound(rows, command);
    case 'replay-inbound':
      return decideReplayInbound(rows, command);
    case 'notification-tried':
      return decideNotificationTried(rows, command);
    case 'wake-notifications':
      return decideWakeNotifications(rows, command);
    case 'expire-notifications':
      return decideExpireNotifications(rows, command);
    case 'begin':
      return decideBegin(rows, command);
    case 'expire':
      return decideExpire(rows, command);
    case 'queue-due':
      return decideQueueDue(rows, command);
    case 'reroute':
      return decideReroute(rows, command);
    case 'cancel':
      return decideCancel(rows, command);
    case 'settle-doubt':
      return decideSettleDoubt(rows, command);
    case 'margin-alert':
      raise(rows, { ...command, kind: 'below-margin' });
      return ok(null);
    case 'see-clock':
      rows.node.seenAt = command.isForced ? command.at : Math.max(rows.node.seenAt, command.at);
      if (command.isForced) rows.node.untrustedFrom = null;
      touch(rows.node);
      return ok(null);
    case 'cut-back':
      return decideCutBack(rows, command);
    case 'system-alert':
      raise(rows, { kind: command.alert, account: null, at: command.at, detail: command.detail });
      return ok(null);
    case 'sweep':
      rows.sweep = command;
      return ok({ isMore: rows.forgotten.length === command.max });
    case 'add-account':
      return decideAddAccount(rows, command);
    case 'top-up':
      return decideTopUp(rows, command);
    case 'set-account':
      return decideSetAccount(rows, command);
    case 'adjust':
      return decideAdjust(rows, command);
    case 'set-account-status':
      return command.status === 'removed' ? decideRemoveAccount(rows, command) : decideSetAccountStatus(rows, command);
    case 'add-token':
      return decideAddToken(rows, command);
    case 'rotate-token':
      return decideRotateToken(rows, command);
    case 'revoke-token':
      return decideRevokeToken(rows, command);
    case 'add-counts':
      rows.ruleHits.push(...command.ruleHits);
      for (const use of command.tokenUses) addTokenUse(rows.tokenUses, use);
      return ok(null);
    case 'add-carrier':
      return decideAddCarrier(rows, command);
    case 'set-carrier':
      return decideSetCarrier(rows, command);
    case 'set-carrier-status':
      return decideSetCarrierStatus(rows, command);
    case 'add-route':
      return decideAddRoute(rows, command);
    case 'set-route':
      return decideSetRoute(rows, command);
    case 'remove-route':
      return decideRemoveRoute(rows, command);
    case 'set-prices':
      return decideSetPrices(rows, command);
    case 'begin-price-import':
      return decideBeginPriceImport(rows, command);
    case 'stage-prices':
      return decideStagePrices(rows, command);
    case 'publish-prices':
      return decidePublishPrices(rows, command);
    case 'sweep-prices':
      return decideSweepPrices(rows, command);
    case 'withdraw-prices':
      return decideWithdrawPrices(rows, command);
    case 'remove-price-list':
      return decideRemovePriceList(rows, command);
    case 'set-price-base':
      return decideSetPriceBase(rows, command);
    case 'add-login':
    case 'set-login':
    case 'remove-login':
    case 'touch-logins':
      return decideLogin(rows, command);
    case 'add-number':
      return decideAddNumber(rows, command);
    case 'set-number':
      return decideSetNumber(rows, command);
    case 'remove-number':
      return decideRemoveNumber(rows, command);
    case 'add-keyword':
      return decideAddKeyword(rows, command);
    case 'remove-keyword':
      return decideRemoveKeyword(rows, command);
    case 'add-webhook':
      return decideAddWebhook(rows, command);
    case 'set-webhook':
      return decideSetWebhook(rows, command);
    case 'set-webhook-status':
      return decideSetWebhookStatus(rows, command);
    case 'remove-webhook':
      return decideRemoveWebhook(rows, command);
    case 'add-webhook-secret':
      return decideAddWebhookSecret(rows, command);
    case 'remove-webhook-secret':
      return decideRemoveWebhookSecret(rows, command);
    case 'forget-notifications':
      return decideForgetNotifications(rows, command);
    case 'sweep-notifications':
      return decideSweepNotifications(rows, command);
    case 'replay-notifications':
      return decideReplayNotifications(rows, command);
    case 'add-opt-outs':
      return decideAddOptOuts(rows, command);
    case 'remove-opt-out':
      return decideRemoveOptOut(rows, command);
    case 'set-opt-out-handling':
      return decideSetOptOutHandling(rows, command);
    case 'set-opt-out-word':
      return decideSetOptOutWord(rows, command);
  }
}

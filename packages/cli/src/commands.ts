import { account } from '@morsel/api/admin/account/account.ts';
import { alert } from '@morsel/api/admin/money/alert.ts';
import { backupCommands } from './running/backup.ts';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { carrierCommands } from './routing/carrier.ts';
import type { Command } from './command.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { inboundCommands } from './message/inbound.ts';
import { keyword } from '@morsel/api/admin/number/keyword.ts';
import { ledger } from '@morsel/api/admin/money/ledger.ts';
import { ledgerCommands } from './money/ledger.ts';
import { listenCommands } from './notification/listen.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { messageCommands } from './message/message.ts';
import { posting } from '@morsel/api/admin/money/posting.ts';
import { number } from '@morsel/api/admin/number/number.ts';
import { optOutCommands } from './number/opt-out.ts';
import { optOut } from '@morsel/api/admin/number/opt-out.ts';
import { price } from '@morsel/api/admin/money/price.ts';
import { priceCommands } from './money/price.ts';
import { receipt } from '@morsel/api/admin/message/receipt.ts';
import { receiptCommands } from './message/receipt.ts';
import { route } from '@morsel/api/admin/routing/route.ts';
import { routeCommands } from './routing/route.ts';
import { runningCommands } from './running/running.ts';
import { login } from '@morsel/api/admin/account/login.ts';
import { session } from '@morsel/api/admin/account/session.ts';
import { printStatement } from './money/statement.ts';
import { gateway } from '@morsel/api/admin/running/gateway.ts';
import { confirmClock } from './running/clock.ts';
import { commandsOf, csvOption } from './bind.ts';
import { tableOf } from './show.ts';
import { token } from '@morsel/api/admin/account/token.ts';
import { notification } from '@morsel/api/admin/notification/notification.ts';
import { webhookSecret } from '@morsel/api/admin/notification/webhook-secret.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { showNotification } from './notification/notification.ts';
import { replayDeadLetters, testWebhook } from './notification/webhook.ts';

/** All commands. Help and parsing are made from this list. */
export const commands: readonly Command[] = [
  ...runningCommands,
  ...commandsOf(account),
  ...commandsOf(posting, { statement: { run: printStatement, options: [csvOption] } }),
  ...commandsOf(alert),
  ...ledgerCommands,
  ...commandsOf(token),
  ...commandsOf(login),
  ...commandsOf(session, {
    close: {
      says: ({ closed }, { hasColour }) =>
        `closed:\n${tableOf(session.operations.list, closed, { hasColour, whenEmpty: 'no session is bound' })}`,
    },
  }),
  ...carrierCommands,
  ...routeCommands,
  ...priceCommands,
  ...messageCommands,
  ...receiptCommands,
  ...commandsOf(number),
  ...commandsOf(keyword),
  ...inboundCommands,
  ...commandsOf(webhook, { test: { run: testWebhook }, replay: { run: replayDeadLetters } }),
  ...commandsOf(webhookSecret),
  ...commandsOf(notification, { show: { says: showNotification } }),
  ...listenCommands,
  ...optOutCommands,
  ...commandsOf(gateway, { confirmClock: { run: confirmClock } }),
  ...backupCommands,
];

/** The purpose of each first word, for its help. */
export const groups: { readonly [word: string]: string } = {
  account: account.summary,
  alert: alert.summary,
  clock: "Whether the machine's clock is trusted",
  ledger: ledger.summary,
  token: token.summary,
  'smpp-login': login.summary,
  session: session.summary,
  carrier: carrier.summary,
  route: route.summary,
  message: message.summary,
  price: price.summary,
  receipt: receipt.summary,
  number: number.summary,
  keyword: keyword.summary,
  inbound: inbound.summary,
  webhook: webhook.summary,
  'webhook secret': webhookSecret.summary,
  notification: notification.summary,
  optout: optOut.summary,
};

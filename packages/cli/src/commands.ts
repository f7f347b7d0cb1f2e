import { account } from '@morsel/api/admin/account/account.ts';
import { alertCommands } from './alert.ts';
import { postingCommands } from './posting.ts';
import { backupCommands } from './backup.ts';
import { carrier } from '@morsel/api/admin/carrier.ts';
import { carrierCommands } from './carrier.ts';
import type { Command } from './command.ts';
import { inboundReplayCommands } from './inbound-replay.ts';
import { inboundCommands } from './inbound.ts';
import { keyword } from '@morsel/api/admin/keyword.ts';
import { ledgerCommands } from './ledger.ts';
import { listenCommands } from './listen.ts';
import { messageCommands } from './message.ts';
import { number } from '@morsel/api/admin/number.ts';
import { optOutCommands } from './opt-out.ts';
import { optOutListCommands } from './opt-out-lists.ts';
import { exportCommands } from './price-export.ts';
import { importCommands } from './price-import.ts';
import { priceCommands } from './price.ts';
import { quoteCommands } from './quote.ts';
import { receiptCommands } from './receipt.ts';
import { routeCommands } from './route.ts';
import { runningCommands } from './running.ts';
import { sendCommands } from './send.ts';
import { login } from '@morsel/api/admin/login.ts';
import { session } from '@morsel/api/admin/session.ts';
import { statementCommands } from './statement.ts';
import { statusCommands } from './status.ts';
import { commandsOf } from './bind.ts';
import { tableOf } from './show.ts';
import { token } from '@morsel/api/admin/token.ts';
import { notificationCommands } from './notification.ts';
import { webhookCommands } from './webhook.ts';
import { webhookSecretCommands } from './webhook-secret.ts';

/** Every command there is. Help and parsing are made of this. */
export const commands: readonly Command[] = [
  ...runningCommands,
  ...commandsOf(account),
  ...postingCommands,
  ...alertCommands,
  ...statementCommands,
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
  ...importCommands,
  ...exportCommands,
  ...sendCommands,
  ...quoteCommands,
  ...messageCommands,
  ...receiptCommands,
  ...commandsOf(number),
  ...commandsOf(keyword),
  ...inboundCommands,
  ...inboundReplayCommands,
  ...webhookCommands,
  ...webhookSecretCommands,
  ...notificationCommands,
  ...listenCommands,
  ...optOutCommands,
  ...optOutListCommands,
  ...statusCommands,
  ...backupCommands,
];

/** What the first word of a command is about, for the help of that word alone. */
export const groups: { readonly [word: string]: string } = {
  account: account.summary,
  alert: 'What somebody should look at',
  clock: 'Whether the time of this machine is believed',
  ledger: 'Whether every cent is explained',
  token: token.summary,
  'smpp-login': login.summary,
  session: session.summary,
  carrier: carrier.summary,
  route: 'Which numbers go through which carrier',
  price: 'What accounts pay a part',
  message: 'What became of messages',
  receipt: 'What carriers said of messages that nobody knows',
  number: number.summary,
  keyword: keyword.summary,
  inbound: 'What phones sent, and whether it was told',
  webhook: 'Where accounts are told what happened',
  'webhook secret': 'What a webhook signs with',
  notification: 'What accounts are told, and what came of it',
  optout: 'Who wants no more messages',
};

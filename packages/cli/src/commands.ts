import { posting } from '@morsel/api/admin/money/posting.ts';
import { notification } from '@morsel/api/admin/notification/notification.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import type { Resources } from '@morsel/api/admin/resources.ts';
import type { Resource } from '@morsel/api/admin/resource.ts';
import { session } from '@morsel/api/admin/account/session.ts';
import { gateway } from '@morsel/api/admin/running/gateway.ts';
import { commandsOf, csvOption } from './bind.ts';
import type { Command } from './command.ts';
import { inboundCommands } from './message/inbound.ts';
import { messageCommands } from './message/message.ts';
import { receiptCommands } from './message/receipt.ts';
import { ledgerCommands } from './money/ledger.ts';
import { priceCommands } from './money/price.ts';
import { printStatement } from './money/statement.ts';
import { listenCommands } from './notification/listen.ts';
import { showNotification } from './notification/notification.ts';
import { replayDeadLetters, testWebhook } from './notification/webhook.ts';
import { optOutCommands } from './number/opt-out.ts';
import { carrierCommands } from './routing/carrier.ts';
import { routeCommands } from './routing/route.ts';
import { backupCommands } from './running/backup.ts';
import { confirmClock } from './running/clock.ts';
import { runningCommands } from './running/running.ts';
import { tableOf } from './show.ts';

/* All commands. Declarations of resources make most commands; the others are written by hand. */

/** The commands of resources with at least one command that is written by hand. */
const ownCommands: { readonly [R in keyof Resources]?: readonly Command[] } = {
  posting: commandsOf(posting, { statement: { run: printStatement, options: [csvOption] } }),
  ledger: ledgerCommands,
  session: commandsOf(session, {
    close: {
      says: ({ closed }, { hasColour }) =>
        `closed:\n${tableOf(session.operations.list, closed, { hasColour, whenEmpty: 'no session is bound' })}`,
    },
  }),
  carrier: carrierCommands,
  route: routeCommands,
  price: priceCommands,
  message: messageCommands,
  receipt: receiptCommands,
  inbound: inboundCommands,
  webhook: commandsOf(webhook, { test: { run: testWebhook }, replay: { run: replayDeadLetters } }),
  notification: commandsOf(notification, { show: { says: showNotification } }),
  event: listenCommands,
  optOut: optOutCommands,
  gateway: commandsOf(gateway, { confirmClock: { run: confirmClock } }),
};

const declared: { readonly [name: string]: Resource } = resources;
const own: { readonly [name: string]: readonly Command[] } = ownCommands;

/** All commands. Help and parsing are made from this list. */
export const commands: readonly Command[] = [
  ...runningCommands,
  ...Object.entries(declared).flatMap(([name, each]) => own[name] ?? commandsOf(each)),
  ...backupCommands,
];

/** The purpose of each first word, for its help. If two resources share a word, the first gives its purpose. */
export const groups: { readonly [word: string]: string } = {
  ...Object.fromEntries(
    Object.values(declared)
      .filter(({ command }) => commands.some(({ words }) => words.startsWith(`${command} `)))
      .toReversed()
      .map(({ command, summary }) => [command, summary]),
  ),
  clock: "Whether the machine's clock is trusted",
};

import { posting } from '@morsel/api/admin/money/posting.ts';
import { resources, type Resources } from '@morsel/api/admin/resources.ts';
import type { Resource } from '@morsel/api/admin/resource.ts';
import { gateway } from '@morsel/api/admin/running/gateway.ts';
import { ok } from '@morsel/api/values/result.ts';
import { auditCommands } from './access/audit.ts';
import { loginCommands } from './access/login.ts';
import { gatewayCalls } from './admin-client.ts';
import { commandsOf, csvOption, runOperation } from './bind.ts';
import type { Command, Input, Shell } from './command.ts';
import { confirmed } from './confirm.ts';
import { cdrCommands } from './message/cdr.ts';
import { inboundCommands } from './message/inbound.ts';
import { messageCommands } from './message/message.ts';
import { privacyCommands } from './privacy/privacy.ts';
import { ledgerCommands } from './money/ledger.ts';
import { priceCommands } from './money/price.ts';
import { printStatement } from './money/statement.ts';
import { listenCommands } from './notification/listen.ts';
import { optOutCommands } from './number/opt-out.ts';
import { carrierCommands } from './routing/carrier.ts';
import { backupCommands } from './running/backup.ts';
import { changeSetCommands } from './running/change-set.ts';
import { configCommands } from './running/config.ts';
import { runningCommands } from './running/running.ts';

/* All commands. Declarations of resources make most commands; the others are written by hand. */

/** The commands of the resources that have at least one command written by hand. */
const ownCommands: { readonly [R in keyof Resources]?: readonly Command[] } = {
  posting: commandsOf(posting, { statement: { run: printStatement, options: [csvOption] } }),
  ledger: ledgerCommands,
  carrier: carrierCommands,
  price: priceCommands,
  message: messageCommands,
  cdr: cdrCommands,
  privacy: privacyCommands,
  inbound: inboundCommands,
  event: listenCommands,
  optOut: optOutCommands,
  audit: auditCommands,
  changeSet: changeSetCommands,
  config: configCommands,
  gateway: commandsOf(gateway, { confirmClock: { run: confirmClock } }),
};

const declared: { readonly [name: string]: Resource } = resources;
const own: { readonly [name: string]: readonly Command[] } = ownCommands;

/** The parser and the help are made from this list. */
export const commands: readonly Command[] = [
  ...runningCommands,
  ...loginCommands,
  ...Object.entries(declared).flatMap(([name, each]) => own[name] ?? commandsOf(each)),
  ...backupCommands,
];

/** The purpose of each first word, for help. If two resources share a word, the first resource gives the purpose. */
export const groups: { readonly [word: string]: string } = {
  ...Object.fromEntries(
    Object.values(declared)
      .filter(({ command }) => commands.some(({ words }) => words.startsWith(`${command} `)))
      .toReversed()
      .map(({ command, summary }) => [command, summary]),
  ),
  clock: "The machine's clock, and whether the gateway trusts it",
};

const behindText =
  'the clock is behind the newest record: until the clock has passed that record, new ledger entries and message ids get the time of that record';

/** If the clock is behind the newest record, the operator must confirm. */
async function confirmClock(_given: object, shell: Shell, input: Input): ReturnType<Command['run']> {
  const status = await gatewayCalls(shell).gateway.status();
  if (!status.ok) return status;
  const behind = status.value.troubles.some(({ kind }) => kind === 'clock-behind');
  const question = `${behindText}. Is the clock right?`;
  const meant = behind ? await confirmed(input, shell, { sentence: behindText, question }) : ok(undefined);
  if (!meant.ok) return meant;
  return runOperation(gateway.operations.confirmClock, { behind }, shell);
}

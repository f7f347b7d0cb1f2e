/* All commands by name. A command names the rows it reads, and decides with them; each of both stands in one file. */

import { recordTotals } from './rows/totals.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { decideAudited, readAudit, noteActionCommand, type AuditContext } from './decide/access/audit.ts';
import { touchOperatorKeyCommand } from './decide/access/operator.ts';
import { beginSessionCommand } from './decide/access/sign-in.ts';
import { addCountsCommand } from './decide/account/counts.ts';
import { touchLoginsCommand } from './decide/account/login.ts';
import { changesSettings, operateCommand } from './decide/operate.ts';
import { acceptCommand } from './decide/message/accept.ts';
import { cancelCommand } from './decide/message/cancel.ts';
import { recordEnds } from './decide/message/part.ts';
import { claimCommand } from './decide/message/claim.ts';
import { expireInboundCommand, inboundCommand } from './decide/message/inbound.ts';
import { expectRepeatCommand, inboundAnsweredCommand } from './decide/message/inbound-repeat.ts';
import {
  expireNotificationsCommand,
  forgetNotificationsCommand,
  wakeNotificationsCommand,
} from './decide/notification/upkeep.ts';
import { notificationTriedCommand } from './decide/notification/tried.ts';
import { outcomeCommand } from './decide/message/outcome.ts';
import { rematchCommand } from './decide/message/unmatched.ts';
import { beginPriceImportCommand, stagePricesCommand, sweepPricesCommand } from './decide/money/price-import.ts';
import { receiptCommand } from './decide/message/receipt.ts';
import { queueDueCommand } from './decide/message/schedule.ts';
import { rerouteCommand } from './decide/routing/reroute.ts';
import { beginCommand, cutBackCommand, seeClockCommand, takeOverCommand } from './decide/process.ts';
import { reportAlarmCommand, turnAlarmsCommand } from './decide/alarm/alarm.ts';
import { receiverTriedCommand } from './decide/alarm/tried.ts';
import { endErasureCommand, eraseFoundCommand, eraseRestCommand } from './decide/privacy/erase.ts';
import { retainCommand, retainLeftCommand, retainRestCommand } from './decide/privacy/retain.ts';
import { keepConfigCommand } from './decide/config/keep-config.ts';
import { sweepCommand } from './decide/sweep.ts';
import type { Together, TogetherDone } from './decide/config/together.ts';
import type { Decided } from './decide/decided.ts';
import { Rehearsal } from './decide/rehearsal.ts';
import { expireCommand } from './decide/message/deadline.ts';
import type { Reads } from './rows/reads.ts';
import type { MessageId } from '../core/base/message-id.ts';
import { carrierKey, type Rows } from './rows/rows.ts';

/** The closed list of all writes. */
const list = {
  together: { isSetting: true, reads: readTogether, decide: decideTogether },
  operate: operateCommand,
  'keep-config': keepConfigCommand,
  'note-action': noteActionCommand,
  'touch-operator-key': touchOperatorKeyCommand,
  'begin-session': beginSessionCommand,
  'touch-logins': touchLoginsCommand,
  'add-counts': addCountsCommand,
  accept: acceptCommand,
  claim: claimCommand,
  outcome: outcomeCommand,
  receipt: receiptCommand,
  rematch: rematchCommand,
  inbound: inboundCommand,
  'inbound-answered': inboundAnsweredCommand,
  'expect-repeat': expectRepeatCommand,
  'expire-inbound': expireInboundCommand,
  'notification-tried': notificationTriedCommand,
  'wake-notifications': wakeNotificationsCommand,
  'expire-notifications': expireNotificationsCommand,
  begin: beginCommand,
  'take-over': takeOverCommand,
  expire: expireCommand,
  'queue-due': queueDueCommand,
  reroute: rerouteCommand,
  cancel: cancelCommand,
  'cut-back': cutBackCommand,
  'begin-price-import': beginPriceImportCommand,
  'stage-prices': stagePricesCommand,
  'sweep-prices': sweepPricesCommand,
  'forget-notifications': forgetNotificationsCommand,
  'report-alarm': reportAlarmCommand,
  'see-clock': seeClockCommand,
  sweep: sweepCommand,
  retain: retainCommand,
  'retain-left': retainLeftCommand,
  'retain-rest': retainRestCommand,
  'erase-found': eraseFoundCommand,
  'erase-rest': eraseRestCommand,
  'end-erasure': endErasureCommand,
  'turn-alarms': turnAlarmsCommand,
  'receiver-tried': receiverTriedCommand,
} satisfies { readonly [kind: string]: Definition };

interface Definition {
  /**
   * A command of the operator that changes what every node holds in memory. Such commands are decided one after the other,
   * and no group is committed with older settings.
   */
  readonly isSetting?: boolean;
  /**
   * The name of what the command decides about, if no row stands for it yet: commands with one name are decided one after
   * the other, at whatever node.
   */
  subject?(command: never): string | undefined;
  /** Names the rows that the decision looks at, and those that it may change. */
  reads?(read: Reads, command: never): void;
  /** Changes the rows and returns the result. It does no input or output, so that every engine uses it unchanged. */
  decide(rows: Rows, command: never): Result<unknown, Rejection>;
}

export type Kind = keyof typeof list;
/** Plain data, because it crosses a thread. It names its own time (`at`), and who sent it if an operator did. */
export type CommandOf<K extends Kind> = { readonly kind: K; readonly audit?: AuditContext } & Parameters<
  (typeof list)[K]['decide']
>[1];
export type Command = { readonly [K in Kind]: CommandOf<K> }[Kind];
type ValueOf<K extends Kind> = Extract<ReturnType<(typeof list)[K]['decide']>, { readonly ok: true }>['value'];
export type ResultOf<K extends Kind> = Result<ValueOf<K>, Rejection>;
export type AnyResult = Result<ValueOf<Kind>, Rejection>;

const definitions: { readonly [K in Kind]: Definition } = list;

export function isSetting(command: Command): boolean {
  if (command.kind === 'operate') return changesSettings(command.operation);
  return definitions[command.kind].isSetting === true;
}

/** Work that a client can be refused without a loss. */
export function isNewWork({ kind }: Command): boolean {
  return kind === 'accept' || kind === 'cancel';
}

/** What must not be decided at two nodes at the same moment, beside the rows that are compared in each commit. */
export function subjectOf(command: Command): string | undefined {
  const { operator, once } = command.audit ?? {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind chose the command
  const own = definitions[command.kind].subject?.(command as never);
  return own ?? (once && `request ${operator} ${once.key}`);
}

/** Names the rows that a command reads. */
export function nameReads(read: Reads, command: Command): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind chose the command and its reads
  definitions[command.kind].reads?.(read, command as never);
  if (command.audit) readAudit(read, command.audit);
}

/** Decides a command with the rows that it needed. */
export function decide(rows: Rows, command: Command): AnyResult {
  const { audit } = command;
  // Each of its steps has an entry.
  if (!audit || command.kind === 'together') return decided(rows, command);
  return decideAudited(rows, audit, { isSetting: isSetting(command), decide: () => decided(rows, command) });
}

function decided(rows: Rows, command: Command): AnyResult {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind chose the command and its decision
  return definitions[command.kind].decide(rows, command as never) as AnyResult;
}

/** Decides all commands of a group, in order. */
export function decideAll(rows: Rows, commands: readonly Command[]): readonly AnyResult[] {
  const results = commands.map((command) => decide(rows, command));
  recordEnds(rows);
  recordTotals(rows);
  return results;
}

/**
 * Decides steps that are all done, or none: they are done if a rehearsal on copies of the rows refuses none of them. Each is
 * decided with what the ones before it changed.
 */
function decideTogether(rows: Rows, command: Together): Decided<TogetherDone> {
  const steps = stepsOf(command);
  const copies = new Rehearsal(rows, rows);
  const rehearsed = steps.map((step) => decide(copies, step));
  const isDone = !command.isTrial && rehearsed.every(({ ok: isTaken }) => isTaken);
  return ok({ results: isDone ? steps.map((step) => decide(rows, step)) : rehearsed, isDone });
}

function readTogether(read: Reads, command: Together): void {
  const copies = new Rehearsal(read.rows, read);
  for (const step of stepsOf(command)) copies.rehearse(() => decide(copies, step));
}

/** The first step stands for the request. The others say themselves who sent them. */
function stepsOf({ steps, audit }: Together): readonly Command[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only commands are put there
  const [first, ...others] = steps as readonly Command[];
  return first ? [audit ? { ...first, audit } : first, ...others] : [];
}

/** The message of each carrier id in this group's answers. */
export function carrierIdsAnswered(commands: readonly Command[]): ReadonlyMap<string, MessageId> {
  const keys = new Map<string, MessageId>();
  for (const command of commands) {
    if (command.kind === 'outcome' && command.outcome === 'accepted' && command.carrierIdKey !== null) {
      keys.set(carrierKey(command.carrier, command.carrierIdKey), command.message);
    }
  }
  return keys;
}

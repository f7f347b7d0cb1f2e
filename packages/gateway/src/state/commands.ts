/* All commands by name. Each names the rows that it reads, and decides with them. A command stands in one file. */

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
import { showRuleCommand } from './decide/routing/learning.ts';
import { beginPriceImportCommand, stagePricesCommand, sweepPricesCommand } from './decide/money/price-import.ts';
import { receiptCommand } from './decide/message/receipt.ts';
import { queueDueCommand } from './decide/message/schedule.ts';
import { rerouteCommand } from './decide/routing/reroute.ts';
import { beginCommand, cutBackCommand, seeClockCommand, takeOverCommand } from './decide/process.ts';
import { reportAlarmCommand, turnAlarmsCommand } from './decide/alarm/alarm.ts';
import { receiverTriedCommand } from './decide/alarm/tried.ts';
import { endErasureCommand, eraseFoundCommand, eraseRestCommand } from './decide/privacy/erase.ts';
import { retainCommand, retainLeftCommand, retainRestCommand } from './decide/privacy/retain.ts';
import { workJobCommand } from './decide/job/job.ts';
import { keepConfigCommand } from './decide/config/keep-config.ts';
import { sweepCommand } from './decide/sweep.ts';
import type { Together, TogetherDone } from './decide/config/together.ts';
import type { Decided } from './decide/decided.ts';
import { Rehearsal } from './decide/rehearsal.ts';
import { expireCommand } from './decide/message/deadline.ts';
import type { Reads } from './rows/reads.ts';
import type { MessageId } from '../core/base/message-id.ts';
import { carrierKey, type Rows } from './rows/rows.ts';

/** All commands that write; there are no others. */
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
  'show-rule': showRuleCommand,
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
  'work-job': workJobCommand,
  'turn-alarms': turnAlarmsCommand,
  'receiver-tried': receiverTriedCommand,
} satisfies { readonly [kind: string]: Definition };

interface Definition {
  /**
   * True for a command that changes settings, which what every node holds in memory. Such commands are decided one
   * after the other, and no group is committed with older settings.
   */
  readonly isSetting?: boolean;
  /**
   * Names what the command decides about if no row exists for it yet. Commands with the same name are decided one after
   * the other, on all nodes.
   */
  subject?(command: never): string | undefined;
  /** Names the rows that the command reads, and those that it may change. */
  reads?(read: Reads, command: never): void;
  /** Changes the rows and returns the result. It does no input or output, so every engine uses it unchanged. */
  decide(rows: Rows, command: never): Result<unknown, Rejection>;
}

export type Kind = keyof typeof list;
/** Plain data, because it is passed to another thread. It has its own time (`at`), and the operator who sent it. */
export type CommandOf<K extends Kind> = { readonly kind: K; readonly audit?: AuditContext } & Parameters<
  (typeof list)[K]['decide']
>[1];
export type Command = { readonly [K in Kind]: CommandOf<K> }[Kind];
type ValueOf<K extends Kind> = Extract<ReturnType<(typeof list)[K]['decide']>, { readonly ok: true }>['value'];
export type ResultOf<K extends Kind> = Result<ValueOf<K>, Rejection>;
export type AnyResult = Result<ValueOf<Kind>, Rejection>;

/** The names of all commands. */
export const kinds: readonly string[] = Object.keys(list);

const definitions: { readonly [K in Kind]: Definition } = list;

export function isSetting(command: Command): boolean {
  if (command.kind === 'operate') return changesSettings(command.operation);
  return definitions[command.kind].isSetting === true;
}

/** Whether the gateway can refuse the command without loss, because a client has just requested it. */
export function isNewWork({ kind }: Command): boolean {
  return kind === 'accept' || kind === 'cancel';
}

/** Whether a command would be refused with newer rows, too: other nodes only count more messages for a limit. */
export function isRefusedForSure(result: AnyResult): boolean {
  return !result.ok && result.error.code === 'rate_limited';
}

/** The subject that two nodes must not decide about at the same time, beside the rows compared in each commit. */
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

/** Decides a command with the rows that it reads. */
export function decide(rows: Rows, command: Command): AnyResult {
  const { audit } = command;
  // Each step of `together` has its own audit entry.
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
 * Decides the steps of `together`: all are done, or none. A rehearsal on copies of the rows decides first; if it
 * refuses no step, all are done. Each step is decided with the changes of the steps before it.
 */
function decideTogether(rows: Rows, command: Together): Decided<TogetherDone> {
  const steps = stepsOf(command);
  const copies = new Rehearsal(rows, rows);
  const rehearsed = steps.map((step) => decide(copies, step));
  const isDone = !command.isTrial && rehearsed.every(({ ok: isTaken }) => isTaken);
  if (!isDone) return ok({ results: rehearsed, isDone });
  const results = steps.map((step) => decide(rows, step));
  // All steps are done, or none: a fault takes the whole group back.
  if (!results.every(({ ok: isTaken }) => isTaken)) throw new Error('a step was refused after its rehearsal');
  return ok({ results, isDone });
}

function readTogether(read: Reads, command: Together): void {
  const copies = new Rehearsal(read.rows, read);
  for (const step of stepsOf(command)) copies.rehearse(() => decide(copies, step));
}

/** The first step gets the audit context of the request. The other steps have their own. */
function stepsOf({ steps, audit }: Together): readonly Command[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only commands are passed as steps
  const [first, ...others] = steps as readonly Command[];
  return first ? [audit ? { ...first, audit } : first, ...others] : [];
}

/** Maps each carrier id in the carriers' answers of this group of commands to its message. */
export function carrierIdsAnswered(commands: readonly Command[]): ReadonlyMap<string, MessageId> {
  const keys = new Map<string, MessageId>();
  for (const command of commands) {
    if (command.kind === 'outcome' && command.outcome === 'accepted' && command.carrierIdKey !== null) {
      keys.set(carrierKey(command.carrier, command.carrierIdKey), command.message);
    }
  }
  return keys;
}

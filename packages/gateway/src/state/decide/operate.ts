/*
 * Operations of the operator's API that are decided in the store. The decision of an operation takes the declared input
 * and values made outside, such as random octets. It returns the declared answer. It is decided in the commit of its
 * audit entry. It uses only its rows, so it names no reads: a rehearsal (`rehearsal.ts`) finds them.
 */

import type { Instant } from '@morsel/api/values/time.ts';
import type { Rows } from '../rows/rows.ts';
import { operatorDecisions } from './access/operator.ts';
import { signInDecisions } from './access/sign-in.ts';
import { accountDecisions } from './account/account.ts';
import { encryptionKeyDecisions } from './account/encryption-key.ts';
import { changeSetDecisions } from './config/change-set.ts';
import { loginDecisions } from './account/login.ts';
import { tokenDecisions } from './account/token.ts';
import { alarmDecisions } from './alarm/alarm.ts';
import { alarmReceiverDecisions } from './alarm/receiver.ts';
import { jobDecisions } from './job/job.ts';
import { messageDecisions } from './message/settle-doubt.ts';
import { postingDecisions } from './money/posting.ts';
import { priceImportDecisions } from './money/price-import.ts';
import { priceListDecisions } from './money/price-list.ts';
import { priceDecisions } from './money/prices.ts';
import { inboundDecisions } from './notification/replay-inbound.ts';
import { replayDecisions } from './notification/replay.ts';
import { webhookDecisions } from './notification/webhook.ts';
import { keywordDecisions } from './number/keyword.ts';
import { numberDecisions } from './number/number.ts';
import { optOutDecisions } from './number/opt-out-list.ts';
import { privacyDecisions } from './privacy/erase.ts';
import { carrierDecisions } from './routing/carrier.ts';
import { routeDecisions } from './routing/route.ts';
import type { Decided } from './decided.ts';
import type { Given, Unsettled } from './decision.ts';
import { rehearsed } from './rehearsal.ts';

export const decisions = {
  ...accountDecisions,
  ...alarmDecisions,
  ...alarmReceiverDecisions,
  ...carrierDecisions,
  ...changeSetDecisions,
  ...encryptionKeyDecisions,
  ...inboundDecisions,
  ...jobDecisions,
  ...keywordDecisions,
  ...loginDecisions,
  ...messageDecisions,
  ...numberDecisions,
  ...operatorDecisions,
  ...optOutDecisions,
  ...postingDecisions,
  ...priceDecisions,
  ...priceImportDecisions,
  ...priceListDecisions,
  ...privacyDecisions,
  ...replayDecisions,
  ...routeDecisions,
  ...signInDecisions,
  ...tokenDecisions,
  ...webhookDecisions,
};

export type DecidedName = keyof typeof decisions;
/** What the caller must make for the decision of an operation. */
export type MadeFor<N extends DecidedName> = (typeof decisions)[N] extends
  | { readonly decide: (rows: Rows, input: never, given: Given<infer Made>) => unknown }
  | ((rows: Rows, input: never, given: Given<infer Made>) => unknown)
  ? Made
  : never;

/** The decision of any operation. */
type AnyDecision = (rows: Rows, input: never, given: Given<never>) => Decided<object | null>;
const all: { readonly [N in DecidedName]: AnyDecision | (Omit<Unsettled<never>, 'decide'> & { decide: AnyDecision }) } =
  decisions;

export interface Operate {
  readonly at: Instant;
  readonly operation: DecidedName;
  readonly input: unknown;
  readonly made: unknown;
  readonly by: string;
}

export const operateCommand = { ...rehearsed(decideCommand), subject: subjectOfOperation };

function decideCommand(rows: Rows, { operation, input, made, at, by }: Operate): Decided<object | null> {
  const decision = all[operation];
  const decide = 'decide' in decision ? decision.decide : decision;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the name chose the decision, its input and what is made
  return decide(rows, input as never, { at, by, made: made as never });
}

/** Whether an operation changes settings, which every node holds in memory. */
export function changesSettings(operation: DecidedName): boolean {
  return !('isSetting' in all[operation]);
}

/** The subject of an operation: see `Unsettled`. */
function subjectOfOperation({ operation, input }: Operate): string | undefined {
  const decision = all[operation];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the name chose the decision and its input
  return 'subject' in decision ? decision.subject?.(input as never) : undefined;
}

import assert from 'node:assert/strict';
import { unitPrice } from './set-up.ts';
import type { Account } from './set-up.ts';
import { Shown } from '../support/json.ts';
import type { GatewayProcess } from '../support/gateway-process.ts';

/** What has to agree at the end: who sent counts what was answered 200, the peer counts what it was given. */
export interface Counts {
  /** Messages that were answered 200, by the event that each has to have come to. */
  readonly messages: Readonly<Record<string, number>>;
  /** Their parts, as the answers said. */
  readonly parts: number;
  /** Parts that are still in doubt: none, unless a peer that brings no receipts was killed. */
  readonly inDoubt?: number;
}

/** Answered 200 = charged = where the peer's counts say they are, by the gateway's own sums and each account's balance. */
export async function checkBooks(program: GatewayProcess, account: Account, counts: Counts): Promise<void> {
  const totals = await program.ask('totals');
  assert.deepEqual(totals.at('messages'), counts.messages);
  assert.equal(Math.round(totals.number('charged') / unitPrice), counts.parts, 'charged is what was answered');
  assert.equal(totals.number('refunded'), 0);
  assert.equal(totals.number('waiting'), 0);
  assert.equal(totals.number('inDoubt'), counts.inDoubt ?? 0, 'parts in doubt');
  assert.equal(totals.number('unmatchedReceipts'), 0);
  assert.deepEqual(totals.at('unbalanced'), []);
  const balance = (await program.ask('v1/accounts/acme')).number('balance');
  assert.equal(Math.round((account.balance - balance) / unitPrice), counts.parts);
}

export interface Inbound {
  readonly sender: string;
  readonly receiver: string;
  readonly text: string;
}

/** What phones sent, as the operator is shown it, in the order in which it came. */
export async function inboundOf(program: GatewayProcess): Promise<Inbound[]> {
  const shown = Object.values((await program.ask('v1/inbound')).at('items') ?? {}).map((message) => new Shown(message));
  const whole = await Promise.all(shown.map((message) => program.ask(`v1/inbound/${message.text('msgId')}`)));
  return whole
    .map((message) => ({
      sender: message.text('sender'),
      receiver: message.text('receiver'),
      text: message.text('text'),
    }))
    .toReversed();
}

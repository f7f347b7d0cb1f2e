import assert from 'node:assert/strict';
import { unitPrice, type Account } from './set-up.ts';
import { Shown } from '../support/json.ts';
import type { GatewayProcess } from '../support/gateway/gateway-process.ts';

/** The counts that the test expects, from the answers that the client got. */
export interface Counts {
  /** Messages that were answered 200, by the final event that each must have. */
  readonly messages: Readonly<Record<string, number>>;
  /** The parts of these messages, as the answers count them. */
  readonly parts: number;
  /** Parts that stay in doubt: none, unless a carrier without receipts was killed. */
  readonly inDoubt?: number;
}

/**
 * Checks that the totals of the gateway and the account's balance agree with these counts.
 */
export async function checkBooks(program: GatewayProcess, account: Account, counts: Counts): Promise<void> {
  const totals = await program.ask('v1/totals');
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

/** Inbound messages as the operator sees them, in the order of arrival. */
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

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { StoreFile } from '../store-file.ts';
import { unitPrice } from './program.ts';
import type { Account, Program } from './program.ts';

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
export async function checkBooks(program: Program, account: Account, counts: Counts): Promise<void> {
  const totals = await program.ask('totals');
  assert.deepEqual(totals.at('messages'), counts.messages);
  assert.equal(Math.round(totals.number('charged') / unitPrice), counts.parts, 'charged is what was answered');
  assert.equal(totals.number('refunded'), 0);
  assert.equal(totals.number('waiting'), 0);
  assert.equal(totals.number('inDoubt'), counts.inDoubt ?? 0, 'parts in doubt');
  assert.equal(totals.number('parkedReceipts'), 0);
  assert.deepEqual(totals.at('unbalanced'), []);
  const balance = (await program.ask('accounts/acme')).number('balance');
  assert.equal(Math.round((account.balance - balance) / unitPrice), counts.parts);
}

export interface Inbound {
  readonly sender: string;
  readonly receiver: string;
  readonly octets: string;
}

/** What phones sent, as it is stored: the octets in hexadecimal, in the order in which they came. */
export function inboundIn(dataDir: string): Inbound[] {
  using store = StoreFile.of(join(dataDir));
  return store
    .rows('select sender, receiver, lower(hex(octets)) as octets from inbound_part order by id')
    .map((row) => ({ sender: row.text('sender'), receiver: row.text('receiver'), octets: row.text('octets') }));
}

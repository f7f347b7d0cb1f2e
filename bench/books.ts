/* Compares the counts of clients, store and carrier after a benchmark. */

import { unitPrice } from '../packages/gateway/test/peers/set-up.ts';
import type { SinkCounts } from './sink.ts';
import type { Answers } from './harness.ts';
import type { GatewayProcess } from '../packages/gateway/test/support/gateway/gateway-process.ts';

export interface Books {
  readonly messages: number;
  readonly delivered: number;
  /** Amount in units of the currency. */
  readonly charged: number;
  readonly balance: number;
  readonly waiting: number;
  readonly inDoubt: number;
  readonly unmatchedReceipts: number;
  readonly duplicateReceipts: number;
  readonly unbalanced: readonly unknown[];
}

async function readBooks(program: GatewayProcess, accounts: readonly string[]): Promise<Books> {
  const totals = await program.ask('v1/totals');
  let balance = 0;
  // Accounts are asked one after the other, because the operator's API takes few connections at a time.
  for (const name of accounts) balance += (await program.ask(`v1/accounts/${name}`)).number('balance');
  const events = Object.values(totals.at('messages') ?? {}).map(Number);
  const unbalanced = totals.at('unbalanced');
  return {
    messages: events.reduce((sum, count) => sum + count, 0),
    delivered: totals.number('messages', 'delivered'),
    charged: totals.number('charged') - totals.number('refunded'),
    balance,
    waiting: totals.number('waiting'),
    inDoubt: totals.number('inDoubt'),
    unmatchedReceipts: totals.number('unmatchedReceipts'),
    duplicateReceipts: totals.number('notes', 'duplicate-receipt'),
    unbalanced: Array.isArray(unbalanced) ? unbalanced : [],
  };
}

/**
 * The longest wait for receipts. A receipt that comes before the carrier's answer is stored is matched a moment later
 * (D1).
 */
const settleMaxMs = 10_000;
const lookAgainMs = 200;

/** Reads the counts when everything is delivered, or after ten seconds. */
export async function readSettledBooks(program: GatewayProcess, accounts: readonly string[]): Promise<Books> {
  const deadline = performance.now() + settleMaxMs;
  for (;;) {
    const books = await readBooks(program, accounts);
    if (books.delivered === books.messages || performance.now() > deadline) return books;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

function priced(amount: number): number {
  return Math.round(amount / unitPrice);
}

export interface Sides {
  readonly answers: Pick<Answers, 'sent' | 'answered' | 'refused' | 'broken'>;
  readonly counts: Pick<SinkCounts, 'submits' | 'acks'>;
  readonly before: Books;
  readonly after: Books;
}

/** Returns the counts that differ: answered 200, stored, charged, submitted and delivered must be equal. */
export function compare({ answers, counts, before, after }: Sides): string[] {
  const counted = {
    'requests sent': answers.sent,
    'messages stored': after.messages - before.messages,
    'messages charged': priced(after.charged - before.charged),
    'prices taken from the balance': priced(before.balance - after.balance),
    'messages submitted to the carrier': counts.submits,
    'receipts acknowledged to the carrier': counts.acks,
    'messages delivered in the store': after.delivered - before.delivered,
  };
  const expectedNothing = {
    'requests refused': answers.refused,
    'connections broken': answers.broken,
    'parts waiting': after.waiting,
    'parts in doubt': after.inDoubt,
    'receipts unmatched': after.unmatchedReceipts,
    'receipts taken for duplicates': after.duplicateReceipts,
    'accounts whose balance is not the sum of their entries': after.unbalanced.length,
  };
  return [
    ...(answers.answered > 0 ? [] : ['nothing was answered']),
    ...Object.entries(counted)
      .filter(([, count]) => count !== answers.answered)
      .map(([what, count]) => `${what}: ${count}, but ${answers.answered} were answered 200`),
    ...Object.entries(expectedNothing)
      .filter(([, count]) => count !== 0)
      .map(([what, count]) => `${what}: ${count}`),
  ];
}

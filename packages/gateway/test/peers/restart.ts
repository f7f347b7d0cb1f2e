/* The test of a carrier that is killed with a part of its window answered, for every kind of carrier. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkBooks } from './books.ts';
import { makeFolder } from './needs.ts';
import { setUp, untilBound, untilDelivered } from './set-up.ts';
import { sendNumbers } from './send.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A message that a peer got, under the peer's id. */
export interface Taken {
  readonly id: string;
  readonly sender: string;
  readonly receiver: string;
}

/** A carrier that can stop answering, and be killed. It keeps its port. */
export interface Peer extends AsyncDisposable {
  readonly port: number;
  /** Every submit_sm, answered or not. */
  readonly taken: readonly Taken[];
  /** Receipts and inbound messages that were acknowledged. */
  readonly acknowledged: number;
  /** From now on submit_sm waits. */
  hold(): void;
  /** Answers the oldest that wait, and sends their receipts. */
  answer(count: number): void;
  bringReceipt(taken: Taken): void;
  /** Ends it at once. */
  kill(): Promise<void>;
}

const window = 10;
const settled = 20;
const answered = 4;
const waiting = 5;

/**
 * Kills a carrier that has answered a part of a full window, and starts it again. Exactly the unanswered messages are
 * in doubt, nothing is sent twice, and the late receipts settle the doubts.
 */
export async function killHalfAnswered(
  start: (port?: number) => Promise<Peer>,
  settings: readonly string[],
): Promise<void> {
  using folder = makeFolder();
  await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
  await using peer = await start();
  const account = await setUp(program, {
    port: peer.port,
    window,
    settings: ['--in-doubt', 'hold', '--back-off-max-ms', '1000', ...settings],
  });
  await untilBound(program);
  await sendNumbers(program, account.token, { from: 0, to: settled });
  await untilDelivered(program, settled);
  peer.hold();
  await sendNumbers(program, account.token, { from: settled, to: settled + window + waiting });
  await waitUntil('the window is full', () => peer.taken.length === settled + window);
  // Each answer makes room for a waiting message, which is not answered either.
  peer.answer(answered);
  await untilDelivered(program, settled + answered);
  await waitUntil('the window is full again', () => peer.taken.length === settled + window + answered);
  await peer.kill();

  const unanswered = peer.taken.slice(settled + answered);
  await waitUntil(
    'the end is noticed',
    async () => (await program.ask('v1/totals')).number('inDoubt') === unanswered.length,
  );
  const totals = await program.ask('v1/totals');
  assert.equal(unanswered.length, window);
  assert.equal(totals.number('waiting'), waiting - answered);
  assert.equal(totals.number('messages', 'delivered'), settled + answered);

  await using next = await start(peer.port);
  const all = settled + window + waiting;
  await untilDelivered(program, all - unanswered.length);
  for (const taken of unanswered) next.bringReceipt(taken);
  await untilDelivered(program, all);
  const receivers = [...peer.taken, ...next.taken].map(({ receiver }) => receiver);
  assert.equal(new Set(receivers).size, all);
  assert.equal(receivers.length, all, 'S5: each was given to the peer once');
  await checkBooks(program, account, { messages: { delivered: all }, parts: all });
}

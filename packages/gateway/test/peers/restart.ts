/* A test for every kind of carrier: the carrier is killed when it has answered only some requests of its window. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { checkBooks } from './books.ts';
import { makeFolder } from './needs.ts';
import { setUp, untilBound, untilDelivered } from './set-up.ts';
import { sendNumbers } from './send.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A message that a carrier got, with the carrier's id. */
export interface Taken {
  readonly id: string;
  readonly sender: string;
  readonly receiver: string;
}

/** A carrier that can stop answering, and be killed. It keeps its port. */
export interface Peer extends AsyncDisposable {
  readonly port: number;
  /** Every submit_sm that the carrier got, answered or not. */
  readonly taken: readonly Taken[];
  /** The number of receipts and inbound messages that the gateway has acknowledged. */
  readonly acknowledged: number;
  /** Lets each submit_sm wait for its answer from now on. */
  hold(): void;
  /** Answers the submit_sm that have waited longest, and sends their receipts. */
  answer(count: number): void;
  bringReceipt(taken: Taken): void;
  /** Kills the carrier's process. */
  kill(): Promise<void>;
}

const window = 10;
const settled = 20;
const answered = 4;
const waiting = 5;

/**
 * Kills a carrier that has answered only some requests of a full window, and starts it again. Exactly the messages
 * without an answer are in doubt. No message is sent twice, and late receipts settle the parts in doubt.
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
  // Each answer makes room for a waiting message, which gets no answer either.
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

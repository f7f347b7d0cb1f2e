import { type CommandOf, decide } from '../../commands.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMessageId } from '../../../core/base/message-id.ts';
import { parseMicros, toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import { accountDefaults } from '../../../core/account/account.ts';
import { helloContent, propertyRuns } from '../../../../test/support/store/store.ts';
import { Rows } from '../../rows/rows.ts';
import { accountById, keysOfAccount, type AccountRow, type EncryptionKeyRow } from '../../tables/account.ts';
import { entryTable } from '../../tables/ledger.ts';
import { testVault } from '../../../../test/support/store/vault.ts';

/* Decides commands as the writing thread does, without the disk. */

/** `npm run test:long` charges a million. */
const groups = propertyRuns(50);
const messagesPerGroup = 1_000;

/** Prices that no float can hold; nor can a float hold their sums. */
const prices = ['0.000001', '0.1', '0.0075', '0.333333', '1.000007', '12345.678901'].map((text) => {
  const read = parseMicros(text);
  return read.ok ? read.value : assert.fail(text);
});

it('charges of six decimals sum to the millionth, in every entry and every balance (M1, M5)', () => {
  const opening = toMicros(10n ** 17n);
  const account = accountOf(opening);
  const key: EncryptionKeyRow = { change: 'none', ...testVault.newKey(1, 1), createdAt: 0 };
  let expected: bigint = opening;
  for (let group = 0; group < groups; group++) {
    const rows = new Rows(start);
    rows.keep(accountById, [1], [account]);
    rows.keep(keysOfAccount, [1], [key]);
    let spent = 0n;
    for (let at = 0; at < messagesPerGroup; at++) {
      const price = prices[(group * messagesPerGroup + at) % prices.length] ?? zeroMicros;
      spent += price;
      const result = decide(rows, acceptOf(group * messagesPerGroup + at + 1, toMicros(price)));
      assert.ok(result.ok && result.value !== null && 'clientBalance' in result.value);
      if (result.value.clientBalance !== expected - spent) assert.fail('the balance that is answered');
    }
    expected -= spent;
    const [entry, ...others] = rows.of(entryTable);
    assert.deepEqual(
      [entry?.amount, entry?.balanceAfter, entry?.messages, others],
      [-spent, expected, messagesPerGroup, []],
    );
  }
  // The six prices take turns, so the first ones may occur once more than the others.
  const charges = groups * messagesPerGroup;
  const sum = prices.reduce((all, price, at) => all + price * BigInt(Math.ceil((charges - at) / prices.length)), 0n);
  assert.equal(account.balance, opening - sum);
});

const start = {
  newestIds: new Map([['entry', 0]]),
  node: {
    change: 'none' as const,
    id: 1,
    lastMessageId: 0,
    lease: 1,
    inboundAnswered: null,
    seenAt: 0,
    untrustedFrom: null,
    lastCdr: 0,
    groups: 0,
  },
  turns: new Map(),
  vault: testVault,
};

function accountOf(balance: bigint): AccountRow {
  return {
    change: 'none',
    ...accountDefaults,
    id: 1,
    name: 'acme',
    currency: 'EUR',
    status: 'active',
    priceList: 1,
    createdAt: 0,
    balance: toMicros(balance),
    spent: { day: zeroMicros, dayEndsAt: 10 ** 9, month: zeroMicros, monthEndsAt: 10 ** 9 },
    alertedBelow: null,
    callbackSecret: null,
    lastEntry: 0,
    lastEntryAt: 0,
  };
}

function acceptOf(id: number, price: CommandOf<'accept'>['unitPrice']): CommandOf<'accept'> {
  return {
    kind: 'accept',
    at: 0,
    id: toMessageId(id),
    account: 1,
    source: 'http',
    ...helloContent,
    priority: 0,
    route: 1,
    dueAt: 0,
    expiresAt: 60_000,
    priceList: 1,
    priceVersion: 1,
    unitPrice: price,
    totalCost: price,
    claim: null,
  };
}

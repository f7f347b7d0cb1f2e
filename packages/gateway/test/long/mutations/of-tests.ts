/* Mutations of the gateway, each with the tests that must notice it. */

import type { Mutation } from '../mutate.ts';

const state = 'gateway/src/state/decide';
const core = 'gateway/src/core';

export const mutationsOfTests: readonly (Mutation & {
  /** The files that should notice it; the first ones are run first. */
  readonly tests: readonly string[];
})[] = [
  {
    wrong: 'a refund is skipped',
    file: `${state}/message/part.ts`,
    text: 'if (move.isText !== true) refund(rows, message, part, state, move);',
    becomes: '',
    tests: [`${state}/money/refunds.test.ts`],
  },
  {
    wrong: 'a refund of one part is that of the whole message',
    file: `${state}/message/part.ts`,
    text: 'amount: message.unitPrice, reason: state',
    becomes: 'amount: message.totalCost, reason: state',
    tests: [`${state}/money/refunds.test.ts`, 'gateway/test/crash/ledger-model.test.ts'],
  },
  {
    wrong: 'a part that may have reached a carrier is refunded',
    file: `${core}/money/ledger.ts`,
    text: "if (end.everInDoubt || end.state === 'delivered'",
    becomes: "if (end.state === 'delivered'",
    tests: [`${core}/money/ledger.test.ts`, 'gateway/test/crash/ledger-model.test.ts'],
  },
  {
    wrong: 'the credit limit is ignored',
    file: `${core}/money/ledger.ts`,
    text: 'if (balance < -account.creditLimit) {',
    becomes: 'if (balance < -account.creditLimit && account.creditLimit < 0n) {',
    tests: [`${core}/money/ledger.test.ts`],
  },
  {
    wrong: 'a daily cap allows one charge too many',
    file: `${core}/money/ledger.ts`,
    text: 'account.dayCap !== null && spent.day > account.dayCap',
    becomes: 'account.dayCap !== null && before.day >= account.dayCap',
    tests: [`${core}/money/ledger.test.ts`],
  },
  {
    wrong: 'a version of the prices is used before it takes effect',
    file: `${core}/money/price-list.ts`,
    text: 'version !== undefined && version.effectiveAt <= at',
    becomes: 'version !== undefined',
    tests: [
      `${core}/money/price-table.test.ts`,
      `${state}/money/prices.test.ts`,
      'gateway/test/cli/price-terms.test.ts',
    ],
  },
  {
    wrong: 'a repeated posting is done again',
    file: `${state}/money/posting.ts`,
    text: 'if (before) return before;',
    becomes: '',
    tests: [`${state}/money/posting.test.ts`],
  },
  {
    wrong: 'a repeated message is charged again',
    file: `${state}/message/accept.ts`,
    text: 'if (repeat) return repeat;',
    becomes: 'if (repeat && !repeat.ok) return repeat;',
    tests: [`${state}/message/idempotency.test.ts`],
  },
  {
    wrong: 'another message gets the answer to an idempotency key',
    file: `${core}/message/idempotency.ts`,
    text: 'return Buffer.compare(one, other) === 0;',
    becomes: 'return one.length === other.length;',
    tests: [`${state}/message/idempotency.test.ts`, 'gateway/src/edge/admin/access/repeats.test.ts'],
  },
  {
    wrong: 'an opt-out is ignored',
    file: `${state}/message/accept.ts`,
    text: 'if (optOut) return',
    becomes: 'if (optOut && optOut.sender) return',
    tests: [`${state}/number/opt-out.test.ts`],
  },
  {
    wrong: 'a suspended account may send',
    file: `${state}/message/accept.ts`,
    text: "if (account.status !== 'active')",
    becomes: "if (account.status === 'active' && account.id < 0)",
    tests: [`${state}/account/accounts.test.ts`, `${state}/message/whole.test.ts`, `${state}/config/together.test.ts`],
  },
  {
    wrong: 'a token that was revoked meanwhile is accepted',
    file: `${state}/message/accept.ts`,
    text: 'if (withdrawn) return withdrawn;',
    becomes: '',
    tests: [`${state}/message/credential.test.ts`],
  },
  {
    wrong: 'a receipt is matched to an attempt of another carrier',
    file: 'gateway/src/state/tables/message.ts',
    text: 'carrierIdKey === null ? undefined : [carrier, carrierIdKey]',
    becomes: 'carrierIdKey === null ? undefined : [carrier > 1 ? 1 : carrier, carrierIdKey]',
    tests: [`${state}/message/unmatched-receipts.test.ts`],
  },
  {
    wrong: 'older receipts between the same numbers do not settle doubts first',
    file: `${state}/message/receipt.ts`,
    text: 'settleDoubtsBetween(rows, receipt, receipt.at);',
    becomes: '',
    tests: [`${state}/message/settle-doubt.test.ts`],
  },
  {
    wrong: 'a part that a carrier may have is canceled',
    file: `${state}/message/cancel.ts`,
    text: 'waits(part) && part.inDoubt === 0',
    becomes: 'waits(part)',
    tests: [`${state}/message/cancel.test.ts`],
  },
  {
    wrong: 'a part whose validity has ended is sent again',
    file: `${state}/message/deadline.ts`,
    text: "part.state === 'in_doubt' && at < message.expiresAt && !isOfNoUse(message)",
    becomes: "part.state === 'in_doubt' && !isOfNoUse(message)",
    tests: [`${state}/message/outcomes.test.ts`],
  },
  {
    wrong: 'a role may do what only its superior may',
    file: 'api/src/admin/access/role.ts',
    text: "owner: ['owner']",
    becomes: "owner: ['operator', 'owner']",
    tests: ['api/src/admin/access/role.test.ts', 'gateway/src/edge/admin/every-operation.test.ts'],
  },
  {
    wrong: 'an entry of the audit log is left out',
    file: `${state}/access/audit.ts`,
    text: '  addEntry(rows, action, changed);',
    becomes: '  if (changed.length > 0) addEntry(rows, action, changed);',
    tests: [`${state}/access/audit.test.ts`, 'gateway/test/cli/every-change.test.ts'],
  },
  {
    wrong: 'texts are removed that the account still keeps',
    file: `${state}/privacy/retain.ts`,
    text: 'daysOf(what, account) === days && !isDone',
    becomes: '!isDone',
    tests: [`${state}/privacy/retain.test.ts`],
  },
  {
    wrong: 'texts are removed a day too early',
    file: 'gateway/src/store/views/privacy/retention.ts',
    text: 'const dueUntil = now - days * dayMs;',
    becomes: 'const dueUntil = now - (days - 1) * dayMs;',
    tests: [`${state}/privacy/retain.test.ts`, 'gateway/test/tour/privacy.test.ts'],
  },
  {
    wrong: 'a rate allows one part more than its burst',
    file: `${core}/account/rate-bucket.ts`,
    text: '(burst - needed) * msPerPart',
    becomes: '(burst - needed + 1) * msPerPart',
    tests: [`${core}/account/rate-bucket.test.ts`],
  },
];

import { userInfo } from 'node:os';
import { ok } from '@morsel/api/values/result.ts';
import { call, reportOf } from '../admin-client.ts';
import type { AdminEndpointName } from '@morsel/gateway/edge/admin/endpoints.ts';
import type { Command, Input, Option } from '../command.ts';
import { toRow, word } from '../table.ts';

/* What is posted by hand. The ledger says who did it. */

const account = { name: 'account', summary: 'the name of the account' };

export const actorOption: Option = { flags: '--actor <name>', summary: 'who does it, as its ledger will say (you)' };

const keyOption: Option = {
  flags: '--key <text>',
  summary: 'what makes it one: the same again under this key changes nothing',
};

export const postingCommands: readonly Command[] = [
  {
    words: 'account top-up',
    summary: 'Add to a balance',
    arguments: [account, { name: 'amount', summary: 'how much, in the currency of the account' }],
    options: [{ flags: '--reason <text>', summary: 'why, as its ledger will say (top-up)' }, actorOption, keyOption],
    examples: [
      ['account top-up acme 50 --reason "invoice 1203"', '50 more'],
      ['account top-up acme 50 --key invoice-1203', 'from a script that may run twice: 50 more, once'],
    ],
    run: posting('topUp'),
  },
  {
    words: 'account adjust',
    summary: 'Put a balance right, up or down, for a reason',
    arguments: [account],
    options: [
      { flags: '--amount <amount>', summary: 'what is added; with a minus, what is taken', isRequired: true },
      { flags: '--reason <text>', summary: 'why, as its ledger will say', isRequired: true },
      actorOption,
      keyOption,
      { flags: '--force', summary: 'even if the balance falls below its limit' },
    ],
    examples: [
      ['account adjust acme --amount -1.50 --reason "posted twice"', 'one and a half less'],
      ['account adjust acme --amount 3 --reason "goodwill" --actor jane', '3 more, in the name of jane'],
    ],
    run: posting('adjust'),
  },
];

function posting(endpoint: AdminEndpointName): Command['run'] {
  return async (input, shell) => {
    const force = input.flags.has('force') ? { force: 'true' } : {};
    const reply = await call(shell, endpoint, { ...withActor(input), ...force });
    return reply.ok ? ok(reportOf(reply.value, showPosted)) : reply;
  };
}

/** What was given, in the name of whoever is at this machine unless another was given. */
export function withActor(input: Input): { readonly [field: string]: string } {
  const actor = input.values['actor'] ?? userOfThisMachine();
  return actor === undefined ? input.values : { ...input.values, actor };
}

function userOfThisMachine(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A process may run under a number that has no name.
    return undefined;
  }
}

function showPosted(value: unknown): string {
  const posted = toRow(value);
  const before = word(posted, 'replayed') === 'true' ? ', posted before under this key' : '';
  return `account ${word(posted, 'account')} has ${word(posted, 'balance')} after ${word(posted, 'amount')} (entry ${word(posted, 'entry')}${before})`;
}

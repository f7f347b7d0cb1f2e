import type { GivenOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { WordMeaning } from '@morsel/api/values/number.ts';
import type { CommandOf } from '../../../src/state/commands.ts';
import { operate } from '../store/operate.ts';

/* For tests: the operator's changes of opt-out lists. */

interface Entry {
  readonly receiver: string;
  /** The sender to which the opt-out applies; missing or empty for every sender. */
  readonly sender?: string;
  readonly account?: string;
}

export function optOut(
  verb: 'add' | 'remove',
  { receiver, sender, account = 'acme' }: Entry,
  at: number,
): CommandOf<'operate'> {
  const entry = { receiver, sender: sender === '' ? undefined : sender, reason: 'letter' };
  const given = { account, receiver, reason: 'letter' };
  return operate(`optOut.${verb}`, given, { at, made: ok(entry) });
}

export function setWord(word: string, means: WordMeaning | 'usual', account = 'acme'): CommandOf<'operate'> {
  return operate('optOut.word', { account, word, means }, { at: 0 });
}

export function setHandling(
  settings: Omit<GivenOf<OperationNamed<'optOut.set'>>, 'account'>,
  account = 'acme',
): CommandOf<'operate'> {
  return operate('optOut.set', { account, ...settings }, { at: 0 });
}

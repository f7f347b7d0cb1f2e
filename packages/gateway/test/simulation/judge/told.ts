/* What a gateway tells operators at the end of a simulation. */

import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { Queries } from '../../../src/store/views/queries.ts';
import { viewOf } from '../../support/store/operate.ts';

type Listed<N extends 'message.find' | 'inbound.list'> = AnswerOf<OperationNamed<N>>['items'][number];
type Entry = AnswerOf<OperationNamed<'posting.statement'>>['entries'][number];

export interface Told {
  /** All messages, by their ids. */
  readonly messages: ReadonlyMap<number, Listed<'message.find'>>;
  readonly inbound: readonly Listed<'inbound.list'>[];
  /** The texts of the inbound messages. */
  readonly texts: ReadonlyMap<number, string | undefined>;
  /** The ledger of each account, by its name. */
  readonly ledgers: ReadonlyMap<string, Ledger>;
}

export interface Ledger {
  readonly entries: readonly Entry[];
  readonly balance: bigint;
}

/** More than the rows of a run. */
const limit = 1_000;

export async function askAll(queries: Queries, accounts: readonly string[]): Promise<Told> {
  const found = await viewOf(queries, 'message.find', { limit });
  const { items: inbound } = await viewOf(queries, 'inbound.list', { limit, unmatched: false, undelivered: false });
  const texts = new Map<number, string | undefined>();
  for (const { msgId } of inbound)
    texts.set(msgId, (await viewOf(queries, 'inbound.show', { id: String(msgId) })).text);
  const ledgers = new Map<string, Ledger>();
  for (const account of accounts) {
    const { entries } = await viewOf(queries, 'posting.statement', { account, messages: true });
    const { balance } = await viewOf(queries, 'posting.balance', { account });
    ledgers.set(account, { entries, balance });
  }
  return { messages: new Map(found.items.map((item) => [item.msgId, item])), inbound, texts, ledgers };
}

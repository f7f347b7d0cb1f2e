/* The ledger entries of an account in a period, with the balance before and after them. */

import { entryFields, posting } from '@morsel/api/admin/money/posting.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rangeFor } from '../../app/range.ts';
import { useTexts } from '../../app/search.ts';
import { calls, valueOf } from '../../app/client.ts';
import { Act } from '../../ui/action.tsx';
import { CsvButton } from '../../ui/rows-card.tsx';
import type { Texts } from '../../ui/list.tsx';
import { Rows, type Row } from '../../ui/list/rows.tsx';
import { Card, css, Empty, Failure, Loading } from '../../ui/ui.tsx';
import { Money } from '../../ui/values.tsx';
import { words } from '../../words/words.ts';
import { messageCells } from '../cells.tsx';

const { statement } = posting.operations;
const columns = ['entry', 'at', 'kind', 'amount', 'balance', 'messages', 'parts', 'msgId', 'reason', 'actor', 'key'];

export function Statement({ name }: { readonly name: string }) {
  const search = useTexts();
  const { after } = search;
  const given = { ...rangeFor(statement.input, search), ...(after !== undefined && { after }) };
  const found = useQuery({
    queryKey: [statement.path, name, given],
    queryFn: () => valueOf(calls.posting.statement({ account: name, ...given })),
  });
  const page = found.data;
  return (
    <Card
      title={words.account.statement}
      isFlush
      actions={<CsvButton name={`statement-${name}`} answer={entryFields} rows={() => entriesOf(name, given)} />}
    >
      {found.error && <Failure error={found.error} />}
      {found.isPending && <Loading />}
      {page?.entries.length === 0 && (
        <Empty next={<Act of={posting} verb="topUp" fixed={{ account: name }} first={['reason']} hasResult={false} />}>
          {words.account.noEntries}
        </Empty>
      )}
      {page && page.entries.length > 0 && (
        <>
          <p className={css['filters']}>
            {words.account.opening} <Money amount={page.opening} currency={page.currency} /> {words.account.closing}{' '}
            <Money amount={page.closing} currency={page.currency} />
          </p>
          <Rows
            answer={entryFields}
            columns={columns}
            rows={page.entries.map((each) => ({
              ...each,
              currency: page.currency,
              key: madeHere.test(each.key ?? '') ? null : each.key,
            }))}
            cells={messageCells}
          />
        </>
      )}
      {page && page.next !== null && (
        <nav className={css['pages']}>
          <Link to="." className={css['button']} search={(before) => ({ ...before, after: page.next ?? undefined })}>
            {words.next}
          </Link>
        </nav>
      )}
    </Card>
  );
}

/** The form of idempotency keys that the console makes. They say nothing to a reader, and are not shown. */
const madeHere = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+$/;

async function entriesOf(name: string, given: Texts): Promise<readonly Row[]> {
  const entries: Row[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await valueOf(calls.posting.statement({ account: name, ...given, after }));
    entries.push(...page.entries.map((each) => ({ ...each })));
    after = page.next;
  }
  return entries;
}

import { receipt } from '@morsel/api/admin/message/receipt.ts';
import { Link } from '@tanstack/react-router';
import { List, nameIn, type Row } from '../../ui/list.tsx';
import { words } from '../../words/words.ts';
import { messageCells } from '../cells.tsx';

const refetchMs = 5_000;

function idCell(row: Row) {
  return (
    <Link to="/decide/receipts/$id" params={{ id: nameIn(row, 'id') }}>
      {nameIn(row, 'id')}
    </Link>
  );
}

export function UnmatchedReceipts({ carrier }: { readonly carrier?: string }) {
  return (
    <List
      title={words.decide.receipts}
      operation={receipt.operations.unmatched}
      fixed={carrier === undefined ? {} : { carrier }}
      cells={{ ...messageCells, id: idCell }}
      whenEmpty={words.decide.noReceipts}
      refetchMs={refetchMs}
    />
  );
}

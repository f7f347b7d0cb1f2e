/* A table of rows that the page already has, such as rows inside an answer. The viewer can save it as CSV. */

import { csvHeading, csvOf, csvRow } from '@morsel/api/admin/csv.ts';
import type { Column, FieldTable } from '@morsel/api/fields/field.ts';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { words } from '../words/words.ts';
import { Rows, type Cells, type Row } from './list/rows.tsx';
import { Button, Card, Empty } from './ui.tsx';

interface RowsCardProps {
  readonly title: ReactNode;
  /** The name of the CSV file, without its end. */
  readonly file: string;
  readonly answer: FieldTable;
  readonly columns?: readonly Column<FieldTable>[];
  readonly rows: readonly object[];
  readonly cells?: Cells;
  readonly actions?: (row: Row) => ReactNode;
  readonly whenEmpty?: string;
  readonly next?: ReactNode;
  /** What stands above the rows. */
  readonly children?: ReactNode;
}

export function RowsCard(props: RowsCardProps) {
  const { title, file, answer, columns = Object.keys(answer), cells = {}, actions, whenEmpty, next, children } = props;
  const rows = props.rows.map((each): Row => ({ ...each }));
  return (
    <Card
      title={title}
      isFlush
      actions={rows.length > 0 && <CsvButton name={file} answer={answer} rows={() => rows} />}
    >
      {children}
      {rows.length === 0 && <Empty next={next}>{whenEmpty ?? words.nothingYet}</Empty>}
      {rows.length > 0 && <Rows {...{ answer, columns, rows, cells, actions }} isWhole />}
    </Card>
  );
}

interface CsvProps {
  readonly name: string;
  readonly answer: FieldTable;
  readonly rows: () => readonly Row[] | Promise<readonly Row[]>;
}

export function CsvButton({ name, answer, rows }: CsvProps) {
  const saving = useMutation({
    mutationFn: async () => {
      const lines = [csvHeading(answer), ...(await rows()).map((row) => csvRow(answer, row))];
      save(`${name}.csv`, `${csvOf(lines)}\n`);
    },
  });
  return (
    <Button disabled={saving.isPending} onClick={() => saving.mutate()}>
      {words.exportCsv}
    </Button>
  );
}

function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

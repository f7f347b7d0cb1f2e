/* Saves rows that the page has, or reads, as CSV: for tables that are not lists of their own. */

import { csvHeading, csvOf, csvRow } from '@morsel/api/admin/csv.ts';
import type { FieldTable } from '@morsel/api/admin/field.ts';
import { useMutation } from '@tanstack/react-query';
import { useWords } from '../words/words.ts';
import type { Row } from './list.tsx';
import { Button } from './ui.tsx';

interface CsvProps {
  /** Of the file, without its end. */
  readonly name: string;
  readonly answer: FieldTable;
  readonly rows: () => readonly Row[] | Promise<readonly Row[]>;
}

export function CsvButton({ name, answer, rows }: CsvProps) {
  const words = useWords();
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

/* Settles many parts in doubt at once: those of the filter, after a preview of their number. */

import { message } from '@morsel/api/admin/message/message.ts';
import { doubtSettlements } from '@morsel/api/values/message.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { calls, valueOf } from '../../app/client.ts';
import { useMay } from '../../app/session.ts';
import { ChoiceInput } from '../../ui/inputs.tsx';
import { Button, css, Dialog, Failure, Note } from '../../ui/ui.tsx';
import { useWords } from '../../words/words.ts';

const { settle, inDoubt } = message.operations;

export function Settle() {
  const words = useWords();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may(settle)) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.decide.settleMany}</Button>
      {isOpen && <SettleDialog onClose={() => setOpen(false)} />}
    </>
  );
}

const manyMax = 1_000;

function SettleDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useWords();
  const queries = useQueryClient();
  const { carrier }: Readonly<Record<string, string>> = useSearch({ strict: false });
  const [as, setAs] = useState<string>('unknown');
  const [done, setDone] = useState(0);
  const found = useQuery({
    queryKey: [inDoubt.path, 'many', carrier],
    queryFn: () => valueOf(calls.message.inDoubt({ limit: manyMax, ...(carrier !== undefined && { carrier }) })),
  });
  const parts = found.data?.items ?? [];
  const settling = useMutation({
    mutationFn: async () => {
      for (const { msgId, part } of parts) {
        await valueOf(calls.message.settle({ id: String(msgId), part, as }));
        setDone((count) => count + 1);
      }
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <Dialog title={words.decide.settleMany} onClose={onClose}>
      <ChoiceInput
        label={words.decide.as}
        text={as}
        onText={setAs}
        choices={doubtSettlements}
        hint={settle.input.as.about.summary}
      />
      <Note>{words.decide.settleCount(parts.length, carrier ?? '')}</Note>
      {settling.isPending && <progress value={done} max={parts.length} />}
      {(settling.error ?? found.error) && <Failure error={settling.error ?? found.error} />}
      <div className={css['row']}>
        <Button kind="danger" disabled={parts.length === 0 || settling.isPending} onClick={() => settling.mutate()}>
          {words.decide.settleMany}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  );
}

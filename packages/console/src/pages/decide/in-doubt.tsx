/*
 * Parts in doubt, which an operator settles: a single part, or after a preview of their number all that match the
 * filter.
 */

import { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { doubtSettlements } from '@morsel/api/values/message.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../app/search.ts';
import { calls, valueOf } from '../../app/client.ts';
import { useMay } from '../../app/session.ts';
import { Act } from '../../ui/action.tsx';
import { ChoiceInput } from '../../ui/inputs.tsx';
import { ListOf } from '../../ui/resource.tsx';
import { Button, css, Dialog, Failure, Note } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';
import { messageCells } from '../cells.tsx';

const { settle, inDoubt } = message.operations;

const refetchMs = 5_000;

interface InDoubtProps {
  /** The carrier whose parts in doubt are shown. If it is missing, the filter of the list decides. */
  readonly carrier?: string;
}

export function InDoubt({ carrier }: InDoubtProps) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ListOf
        of={message}
        verb="inDoubt"
        fixed={carrier === undefined ? {} : { carrier }}
        cells={messageCells}
        toolbar={may(settle) && <Button onClick={() => setOpen(true)}>{words.decide.settleMany}</Button>}
        actions={({ msgId, part }) => (
          <Act of={message} verb="settle" fixed={{ id: String(msgId), part }} hasResult={false} />
        )}
        whenEmpty={words.decide.noDoubt}
        refetchMs={refetchMs}
      />
      {isOpen && <SettleDialog {...(carrier !== undefined && { carrier })} onClose={() => setOpen(false)} />}
    </>
  );
}

async function allInDoubt(carrier: string | undefined) {
  const parts: AnswerOf<typeof inDoubt>['items'][number][] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await valueOf(calls.message.inDoubt({ carrier, after }));
    parts.push(...page.items);
    after = page.next;
  }
  return parts;
}

function SettleDialog({ carrier: ofPage, onClose }: InDoubtProps & { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { carrier = ofPage } = useTexts();
  const [as, setAs] = useState<string>('unknown');
  const [done, setDone] = useState(0);
  const found = useQuery({
    queryKey: [inDoubt.path, 'many', carrier],
    queryFn: () => allInDoubt(carrier),
  });
  const parts = found.data ?? [];
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

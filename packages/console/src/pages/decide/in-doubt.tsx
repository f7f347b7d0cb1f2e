/* Parts in doubt, which an operator settles: a single part, or in a job all that match a filter. */

import { message } from '@morsel/api/admin/message/message.ts';
import { useTexts } from '../../app/search.ts';
import { Act } from '../../ui/action.tsx';
import { ListOf } from '../../ui/resource.tsx';
import { words } from '../../words/words.ts';
import { messageCells } from '../cells.tsx';

const refetchMs = 5_000;

interface InDoubtProps {
  /** The carrier whose parts in doubt are shown. If it is missing, the filter of the list decides. */
  readonly carrier?: string;
}

export function InDoubt({ carrier: ofPage }: InDoubtProps) {
  const { carrier = ofPage } = useTexts();
  const filter = carrier === undefined ? { all: 'true' } : { carrier };
  return (
    <ListOf
      of={message}
      verb="inDoubt"
      fixed={ofPage === undefined ? {} : { carrier: ofPage }}
      cells={messageCells}
      toolbar={<Act of={message} verb="settleMany" given={filter} first={Object.keys(filter)} />}
      actions={({ msgId, part }) => (
        <Act of={message} verb="settle" fixed={{ id: String(msgId), part }} hasResult={false} />
      )}
      whenEmpty={words.decide.noDoubt}
      refetchMs={refetchMs}
    />
  );
}

/* A change set: its differences, a replay of the last hour's messages with it, and the buttons that apply, undo or drop it. */

import { changeSet, replayFields } from '@morsel/api/admin/running/change-set.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../app/change.ts';
import { calls, callsOnce, valueOf } from '../app/client.ts';
import { useName } from '../app/search.ts';
import { Act } from '../ui/action.tsx';
import { Head } from '../ui/page/head.tsx';
import { All } from '../ui/pairs.tsx';
import { Button, Card, Code, css, Failure, Loading, Note } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { messageCells } from './cells.tsx';
import { UndoChangeSet } from './route/undo.tsx';
import { Steps } from './settings/config.tsx';

export function ChangeSet() {
  const name = useName();
  const goTo = useNavigate();
  const asked = { changeSet: name };
  const found = useQuery({
    queryKey: [changeSet.operations.show.path, name],
    queryFn: () => valueOf(calls.changeSet.show(asked)),
    retry: false,
  });
  const leave = () => void goTo({ to: '/routes', search: { tab: 'changeSets' } });
  return (
    <>
      <Head
        title={words.changeSets.title(name)}
        {...(found.data && { about: words.changeSets.about(found.data) })}
        actions={
          <>
            {found.data?.state === 'applied' && <UndoChangeSet name={name} />}
            <Act of={changeSet} verb="remove" fixed={asked} onDone={leave} />
          </>
        }
      />
      {found.error && <Failure error={found.error} />}
      {!found.data && !found.error && <Loading />}
      {found.data?.state === 'draft' && <Draft key={name} of={found.data} />}
    </>
  );
}

function Draft({ of }: { readonly of: AnswerOf<typeof changeSet.operations.show> }) {
  const queries = useQueryClient();
  const asked = { changeSet: of.changeSet };
  const replaying = useMutation({ mutationFn: () => valueOf(calls.changeSet.replay(asked)) });
  const applying = useChange({
    change: (key) => valueOf(callsOnce(key).changeSet.apply({ ...asked, version: of.version })),
    onSuccess: ({ secrets }) => (secrets.length === 0 ? queries.invalidateQueries() : undefined),
  });
  const { data: replayed, error } = replaying;
  return (
    <div className={css['stack']}>
      <Card title={words.changeSets.differences}>
        <div className={css['stack']}>
          <Steps plan={of} />
          {(error ?? applying.error) && <Failure error={error ?? applying.error} isChange={!error} />}
          {applying.data?.secrets.map(({ what, secret }) => (
            <Code key={what} label={what} text={secret} />
          ))}
          <div className={css['row']}>
            <Button
              {...(!replayed && { kind: 'primary' })}
              disabled={replaying.isPending}
              onClick={() => replaying.mutate()}
            >
              {replaying.isPending ? words.changeSets.replaying : words.changeSets.replay}
            </Button>
            <Button
              kind="danger"
              disabled={applying.isPending || applying.data !== undefined}
              onClick={() => applying.start()}
            >
              {words.settings.apply(of.steps.length)}
            </Button>
          </div>
        </div>
      </Card>
      {replayed && <Note>{words.changeSets.replayed(replayed)}</Note>}
      {replayed && <All answer={replayFields} row={{ ...replayed }} without={shownInSentence} cells={messageCells} />}
    </div>
  );
}

const shownInSentence = ['from', 'to', 'accepted', 'messages', 'parts', 'changed'];

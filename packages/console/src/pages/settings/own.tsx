/* The viewer's own password, one-time codes and sessions. */

import { operator } from '@morsel/api/admin/access/operator.ts';
import { operatorKey } from '@morsel/api/admin/access/operator-key.ts';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { calls, valueOf } from '../../app/client.ts';
import { hasKeys, setKeys } from '../../app/keys.ts';
import { useSession } from '../../app/session.ts';
import { Act } from '../../ui/action.tsx';
import { ListOf } from '../../ui/resource.tsx';
import { Button, Card, Code, css, Failure } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';
import { agentCell } from '../cells.tsx';

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }));

export function SignInSettings() {
  const { data } = useSession();
  const [isOn, setOn] = useState(hasKeys);
  const making = useMutation({ mutationFn: () => valueOf(calls.operator.newCodes()) });
  const made = making.data;
  return (
    <>
      <div className={css['columns']}>
        <Card title={words.settings.password}>
          <div className={css['stack']}>
            <p>{words.settings.passwordAbout}</p>
            <div>
              <Act of={operator} verb="password" />
            </div>
          </div>
        </Card>
        <Card title={words.settings.keys}>
          <div className={css['stack']}>
            <p>{words.settings.keysAbout}</p>
            <Button
              onClick={() => {
                setKeys(!isOn);
                setOn(!isOn);
              }}
            >
              {isOn ? words.settings.keysOff : words.settings.keysOn}
            </Button>
          </div>
        </Card>
        <Card title={words.settings.codes}>
          <div className={css['stack']}>
            <p>{words.settings.codesAbout}</p>
            {made ? (
              <>
                <Suspense>
                  <QrCode label={words.settings.codePicture} text={made.uri} />
                </Suspense>
                <Code label={words.settings.codeSecret} text={made.secret} />
                <a href={made.uri}>{words.settings.codeLink}</a>
                <div>
                  <Act of={operator} verb="codes" fixed={{ secret: made.secret }} kind="primary" />
                </div>
              </>
            ) : (
              <div>
                <Button onClick={() => making.mutate()}>{words.settings.codesOn}</Button>
              </div>
            )}
            {making.error && <Failure error={making.error} />}
          </div>
        </Card>
      </div>
      <ListOf
        of={operatorKey}
        verb="sessions"
        cells={{ agent: agentCell }}
        actions={({ id }) =>
          id === data?.key ? words.settings.thisSession : <Act of={operatorKey} verb="end" fixed={{ id }} />
        }
      />
    </>
  );
}

/* How the clients of an account get in: tokens over HTTP, logins and their sessions over SMPP. */

import { login } from '@morsel/api/admin/account/login.ts';
import { session } from '@morsel/api/admin/account/session.ts';
import { token } from '@morsel/api/admin/account/token.ts';
import { ActionButton } from '../../ui/action.tsx';
import { List } from '../../ui/list.tsx';
import { words } from '../../words/words.ts';

const refetchMs = 5_000;

interface OfAccount {
  readonly name: string;
}

export function Tokens({ name }: OfAccount) {
  const { add, list, usage, rotate, revoke } = token.operations;
  const fixed = { account: name };
  return (
    <>
      <List
        title={words.account.tokens}
        operation={list}
        fixed={fixed}
        toolbar={<ActionButton label={words.account.addToken} operation={add} fixed={fixed} kind="primary" />}
        actions={({ id, revokedAt }) =>
          revokedAt === null && (
            <>
              <ActionButton label={words.account.rotate} operation={rotate} fixed={{ id }} />
              <ActionButton
                label={words.account.revoke}
                operation={revoke}
                fixed={{ id }}
                kind="danger"
                warning={words.account.revokeWarns(String(id))}
              />
            </>
          )
        }
        whenEmpty={words.account.noTokens}
      />
      <List title={words.account.tokenUsage} operation={usage} fixed={fixed} hasFilters={false} />
    </>
  );
}

export function Logins({ name }: OfAccount) {
  const { add, list, set: change, remove: end } = login.operations;
  const { list: sessions, close } = session.operations;
  const fixed = { account: name };
  return (
    <>
      <List
        title={words.account.logins}
        operation={list}
        fixed={fixed}
        toolbar={<ActionButton label={words.account.addLogin} operation={add} fixed={fixed} kind="primary" />}
        actions={(row) => (
          <>
            <ActionButton label={words.edit} operation={change} fixed={{ systemId: row['systemId'] }} row={row} />
            <ActionButton
              label={words.remove}
              operation={end}
              fixed={{ systemId: row['systemId'] }}
              kind="danger"
              warning={words.account.removeLoginWarns(String(row['systemId']))}
            />
          </>
        )}
        whenEmpty={words.account.noLogins}
      />
      <List
        title={words.account.sessions}
        operation={sessions}
        fixed={fixed}
        refetchMs={refetchMs}
        actions={({ id }) => (
          <ActionButton
            label={words.account.closeSession}
            operation={close}
            fixed={{ id }}
            kind="danger"
            warning={words.account.closeSessionWarns}
          />
        )}
        whenEmpty={words.account.noSessions}
      />
    </>
  );
}

/* Routes, and why a message would take one of them. */

import { route } from '@morsel/api/admin/routing/route.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { ActionButton } from '../ui/action.tsx';
import { Head } from '../ui/head.tsx';
import { List, type Row } from '../ui/list.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { words } from '../words/words.ts';
import { accountCell, carrierCell } from './cells.tsx';
import { Explain } from './route/explain.tsx';

const { add, list, set, remove } = route.operations;

/** The fields that select a route: its match and its carrier. A condition that matches everything is left out. */
function matchOf({ prefix, sender, account, encoding, carrier }: Row): Row {
  const conditions = { sender, account, encoding };
  const given = Object.entries(conditions).filter(([, value]) => value !== null && value !== undefined);
  return { prefix, carrier, ...Object.fromEntries(given) };
}

export function Routes() {
  return (
    <>
      <Head
        title={words.pages.routes}
        about={words.routes.about}
        actions={
          <>
            <ActionButton
              label={words.routes.add}
              operation={add}
              kind="primary"
              first={['rank', 'weight', 'sender', 'account']}
            />
            <ActionButton
              label={words.routes.reroute}
              operation={message.operations.reroute}
              first={['carrier', 'route']}
              warning={words.routes.rerouteWarns}
              hasResult
            />
          </>
        }
      />
      <Tabs
        tabs={[
          {
            name: 'list',
            label: words.pages.routes,
            content: () => (
              <List
                title={words.pages.routes}
                operation={list}
                cells={{
                  carrier: carrierCell(),
                  account: (row) => (row['account'] === null ? undefined : accountCell()(row)),
                }}
                actions={(row) => (
                  <>
                    <ActionButton label={words.edit} operation={set} fixed={matchOf(row)} row={row} />
                    <ActionButton
                      label={words.remove}
                      operation={remove}
                      fixed={matchOf(row)}
                      kind="danger"
                      warning={words.routes.removeWarns(String(row['prefix']), String(row['carrier']))}
                    />
                  </>
                )}
                whenEmpty={words.routes.empty}
              />
            ),
          },
          { name: 'explain', label: words.routes.explain, content: () => <Explain /> },
        ]}
      />
    </>
  );
}

/* Routes, and why a message would take one of them. */

import { route } from '@morsel/api/admin/routing/route.ts';
import { changeSet } from '@morsel/api/admin/running/change-set.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { Act } from '../ui/action.tsx';
import { Head } from '../ui/page/head.tsx';
import type { Row } from '../ui/list/rows.tsx';
import { Parts } from '../ui/resource.tsx';
import { words } from '../words/words.ts';
import { messageCells, nameCell } from './cells.tsx';
import { Explain } from './route/explain.tsx';
import { TryChange } from './route/try-change.tsx';

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
            <Act of={route} verb="add" kind="primary" first={['rank', 'weight', 'sender', 'account']} />
            <Act of={message} verb="rerouteMany" first={['carrier', 'route']} warning={words.routes.rerouteWarns} />
          </>
        }
      />
      <Parts
        parts={{
          list: {
            of: route,
            hasAdd: false,
            cells: {
              carrier: messageCells.carrier,
              account: (row) => (row['account'] === null ? undefined : messageCells.account(row)),
            },
            actions: (row) => (
              <>
                <TryChange match={matchOf(row)} row={row} />
                <Act of={route} verb="set" fixed={matchOf(row)} row={row} />
                <Act
                  of={route}
                  verb="remove"
                  fixed={matchOf(row)}
                  warning={words.routes.removeWarns(String(row['prefix']), String(row['carrier']))}
                />
              </>
            ),
            whenEmpty: words.routes.empty,
          },
          changeSets: {
            of: changeSet,
            hasAdd: false,
            acts: [],
            label: words.changeSets.label,
            cells: { changeSet: nameCell('/routes/change-sets/$name', 'changeSet') },
            whenEmpty: words.changeSets.empty,
          },
          explain: { of: route, verb: 'explain', label: words.routes.explain, content: () => <Explain /> },
        }}
      />
    </>
  );
}

/* What an alarm says: a sentence, its subject as a link, and a button or link for what helps. */

import { account } from '@morsel/api/admin/account/account.ts';
import { alarmKinds, type AlarmKind } from '@morsel/api/admin/alarm/kinds.ts';
import { remedyOf, type Remedy } from '@morsel/api/admin/alarm/remedy.ts';
import { posting } from '@morsel/api/admin/money/posting.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { askWhole } from '../../app/client.ts';
import { Act, actLabel } from '../../ui/action.tsx';
import { nameIn, type Row } from '../../ui/list/rows.tsx';
import { css } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';

/** The cell of an alarm in a list. */
export function alarmCell(row: Row) {
  return (
    <div className={css['long']}>
      <strong>
        <Link to="/decide/alarms/$id" params={{ id: nameIn(row, 'alarm') }}>
          {printable(nameIn(row, 'title'))}
        </Link>
      </strong>
      <Said row={row} />
    </div>
  );
}

/** What an alarm says, and what helps while it is open. */
export function Said({ row }: { readonly row: Row }) {
  return (
    <div className={css['stack']}>
      <div>{printable(nameIn(row, 'evidence'))}</div>
      <div className={css['row']}>
        <Subject kind={nameIn(row, 'kind')} name={nameIn(row, 'subject')} />
        {nameIn(row, 'closedAt') === '' && <Help help={nameIn(row, 'help')} />}
      </div>
    </div>
  );
}

/** The pages of subjects, by what the kinds of alarms call them. */
const pages: Readonly<Record<string, string>> = { carrier: '/carriers/', account: '/accounts/' };

function Subject({ kind, name }: { readonly kind: string; readonly name: string }) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client has read it by the declaration
  const page = pages[alarmKinds[kind as AlarmKind].subject];
  return page === undefined ? printable(name) : <Link to={`${page}${encodeURIComponent(name)}`}>{name}</Link>;
}

/** The pages of commands that only show something, by their resource and operation. */
const places: Readonly<Record<string, readonly [label: string, path: string, tab?: string]>> = {
  'account rules': [words.remedies.rules, '/accounts/', 'rules'],
  'carrier learned': [words.remedies.learned, '/carriers/', 'learned'],
  'inbound list': [words.remedies.inbound, '/decide', 'inbound'],
  'message find': [words.remedies.messages, '/messages'],
  'node list': [words.remedies.nodes, '/settings', 'nodes'],
  'alarm-receiver list': [words.remedies.receivers, '/settings', 'alarms'],
  'refusal summary': [words.remedies.refusals, '/records', 'refusals'],
  'route list': [words.remedies.routes, '/routes'],
};

/** The page or the form of the command that helps. A command of the operating system has none. */
function Help({ help }: { readonly help: string }) {
  const remedy = remedyOf(help);
  if (!remedy) return null;
  const { of, verb, operation, given } = remedy;
  const [label, path = '', tab] = places[`${of.name} ${verb}`] ?? [];
  if (label === undefined) return operation.method === 'GET' && operation.keys.length > 0 ? null : <Form {...remedy} />;
  const name = path.endsWith('/') ? Object.values(given)[0] : undefined;
  return (
    <Link
      className={css['button']}
      to={`${path}${encodeURIComponent(name ?? '')}`}
      search={{ ...(tab !== undefined && { tab }), ...(name === undefined && given) }}
    >
      {label}
    </Link>
  );
}

/** The button of a form, which is filled in. A form of settings also has the present ones. */
function Form({ of, verb, operation, given }: Remedy) {
  const isTopUp = operation === posting.operations.topUp;
  const show = isTopUp ? account.operations.show : operation.method === 'PATCH' ? of.operations['show'] : undefined;
  const [keys, values] = [{ ...given }, { ...given }];
  for (const name of Object.keys(given)) delete (operation.keys.includes(name) ? values : keys)[name];
  const found = useQuery({
    queryKey: [show?.path, keys],
    queryFn: () => (show ? askWhole(show, keys) : {}),
    staleTime: show ? 0 : Infinity,
  });
  if (!found.data) return null;
  const names = Object.values(keys).join(' ');
  const label = isTopUp
    ? words.remedies.topUp(names, given['amount'] ?? '', nameIn(found.data, 'currency'))
    : `${actLabel(of, verb, operation)} ${names}`.trim();
  return <Act of={of} verb={verb} label={label} fixed={keys} given={values} row={{ ...found.data, ...keys }} />;
}

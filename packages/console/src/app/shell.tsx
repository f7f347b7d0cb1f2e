/* The frame of every page: navigation, the search for messages, the viewer. */

import { message } from '@morsel/api/admin/message/message.ts';
import { price } from '@morsel/api/admin/money/price.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { useMutation } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, use, useEffect, useState, type ReactNode } from 'react';
import { DialogHost } from '../ui/dialog-host.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Button, classes, css as ui, Failure } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { SignInAgain } from '../pages/sign-in.tsx';
import { CallFailed } from './client.ts';
import { zoneOf } from './range.ts';
import { useTexts } from './search.ts';
import { ageText, viewer } from './format.ts';
import { KnownContext, LiveContext, staleMs, unknownMs, useAge, useCritical, useFigures } from './live.ts';
import { signOut, useMay, useSession } from './session.ts';
import css from './shell.module.css';
import { toggleTheme } from './theme.ts';
import { TimeRange } from './time-range.tsx';

/** Its libraries are loaded after the first page. */
const SearchField = lazy(async () => ({ default: (await import('../search/field.tsx')).SearchField }));

/** The first operation that a page calls. A role that may not call this operation does not see the page. */
const needs: Readonly<Partial<Record<IconName, Pick<Operation, 'role'>>>> = {
  messages: message.operations.find,
  prices: price.operations.list,
};

const pages = [
  ['overview', '/'],
  ['messages', '/messages'],
  ['carriers', '/carriers'],
  ['accounts', '/accounts'],
  ['prices', '/prices'],
  ['routes', '/routes'],
  ['decide', '/decide'],
  ['records', '/records'],
  ['settings', '/settings'],
] as const satisfies readonly (readonly [IconName, string])[];

const unauthorized = 401;
const anybody = { role: 'viewer' } as const;

export function Shell() {
  const session = useSession();
  const isOver = session.error instanceof CallFailed && session.error.status === unauthorized;
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isBusy = useRouterState({ select: ({ status }) => status === 'pending' });
  useEffect(() => setOpen(false), [path]);
  viewer.zone = zoneOf(useTexts());
  return (
    <LiveFigures>
      <DialogHost>
        <div className={css['shell']}>
          <a className={css['skip']} href="#content">
            {words.skipToContent}
          </a>
          <nav className={css['side']} aria-label={words.navigation} data-open={isOpen}>
            <div className={css['pages']}>
              <div className={css['brand']}>
                <img src="/morsel.svg" width="26" height="26" alt="" />
                Morsel
              </div>
              <Pages />
            </div>
          </nav>
          <header className={css['top']}>
            <Button
              kind="icon"
              className={css['menuButton']}
              aria-label={words.navigation}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name={isOpen ? 'close' : 'menu'} />
            </Button>
            <Suspense fallback={null}>
              <SearchField />
            </Suspense>
            <TimeRange />
            <Age />
            <Viewer />
          </header>
          <main id="content" className={css['content']} tabIndex={-1} aria-busy={isBusy}>
            <Aged key={viewer.zone}>
              <Outlet />
            </Aged>
          </main>
          {isOver && session.data && <SignInAgain operator={session.data.operator} />}
        </div>
      </DialogHost>
    </LiveFigures>
  );
}

/** The links to the pages that the viewer's role may see. */
function Pages() {
  const may = useMay();
  return pages
    .filter(([name]) => may(needs[name] ?? anybody))
    .map(([name, to]) => (
      <Link key={name} to={to} className={classes(ui['choice'], css['link'])} activeOptions={{ exact: to === '/' }}>
        <Icon name={name} />
        {words.pages[name]}
        {name === 'decide' && <Critical />}
      </Link>
    ));
}

/** The number of open critical alarms, if there are any. */
function Critical() {
  const count = useCritical() ?? 0;
  return (
    count > 0 && (
      <span className={css['count']} title={words.criticalAlarms(count)}>
        {count}
      </span>
    )
  );
}

/** Figures for every page, so that a session that ends is seen on every page, and that a chart goes on after another page. */
function LiveFigures({ children }: { readonly children: ReactNode }) {
  return <LiveContext value={useFigures()}>{children}</LiveContext>;
}

/** The age of the figures while they are current. When they are old, the page says so above its content. */
function Age() {
  const { figures, gotMs } = use(LiveContext);
  const ageMs = useAge(gotMs);
  if (figures.length === 0 || ageMs > staleMs) return null;
  return <span className={css['age']}>{words.overview.age(ageText(ageMs))}</span>;
}

/**
 * Takes the colours of a page away while the gateway gives no figures: what the page shows may be old. After a minute,
 * its figures become dashes.
 */
function Aged({ children }: { readonly children: ReactNode }) {
  const { overview } = words;
  const { gotMs } = use(LiveContext);
  const ageMs = useAge(gotMs);
  const isStale = ageMs > staleMs;
  return (
    <>
      {isStale && <p className={ui['error']}>{overview.stale(ageText(ageMs))}</p>}
      <div className={isStale ? css['stale'] : undefined}>
        <KnownContext value={ageMs <= unknownMs}>{children}</KnownContext>
      </div>
    </>
  );
}

function Viewer() {
  const { data } = useSession();
  const leaving = useMutation({ mutationFn: signOut });
  return (
    <div className={css['viewer']}>
      <Button kind="icon" aria-label={words.theme} title={words.theme} onClick={toggleTheme}>
        <Icon name="sun" />
      </Button>
      {data && <span className={css['who']}>{words.signedInAs(data.operator, data.role)}</span>}
      <Button onClick={() => leaving.mutate()}>{words.signOut}</Button>
      {leaving.error && <Failure error={leaving.error} />}
    </div>
  );
}

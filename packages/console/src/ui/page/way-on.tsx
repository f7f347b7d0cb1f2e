/* What stands instead of a page: at an unknown address, or where the viewer's role may not look. */

import { mayCall, roles } from '@morsel/api/admin/access/role.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import type { ReactNode } from 'react';
import { useMay, useSession } from '../../app/session.ts';
import { words } from '../../words/words.ts';
import { Head } from './head.tsx';
import { css, GoTo } from '../ui.tsx';

export function NotFound() {
  return <WayOn title={words.wayOn.unknown}>{words.wayOn.unknownAbout(location.pathname)}</WayOn>;
}

/** The page, if the viewer's role may call the operation that it shows; else who may see it. */
export function forRoles(operation: Pick<Operation, 'role'>, Page: () => ReactNode): () => ReactNode {
  return () => {
    const may = useMay();
    const { data } = useSession();
    if (may(operation)) return <Page />;
    const allowed = roles.filter((each) => mayCall(each, operation.role));
    return data && <WayOn title={words.wayOn.others}>{words.wayOn.othersAbout(data.role, allowed)}</WayOn>;
  };
}

function WayOn({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <Head title={title} />
      <div className={css['stack']}>
        <p>{children}</p>
        <GoTo page="overview" />
      </div>
    </>
  );
}

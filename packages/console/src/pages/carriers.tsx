/* All carriers and their links. */

import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { ActionButton } from '../ui/action.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { words } from '../words/words.ts';
import { healthCell } from './carrier/health.tsx';
import { carrierCell } from './cells.tsx';

const { add, list } = carrier.operations;
const refetchMs = 2_000;

/** The settings that nearly every new carrier needs. The other settings have good defaults. */
const firstSettings = ['host', 'port', 'systemId', 'password', 'links', 'window', 'throughput', 'preset'];

export function Carriers() {
  return (
    <>
      <Head
        title={words.pages.carriers}
        actions={<ActionButton label={words.carriers.add} operation={add} kind="primary" first={firstSettings} />}
      />
      <List
        operation={list}
        cells={{ name: carrierCell('name'), status: healthCell }}
        whenEmpty={words.carriers.empty}
        refetchMs={refetchMs}
      />
    </>
  );
}

/* All accounts, and all carriers with the state of their links. */

import { account } from '@morsel/api/admin/account/account.ts';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { ListPage } from '../ui/resource.tsx';
import { words } from '../words/words.ts';
import { healthCell } from './carrier/health.tsx';
import { nameCell } from './cells.tsx';

export function Accounts() {
  return (
    <ListPage
      of={account}
      title={words.pages.accounts}
      except={{ add: { first: ['balance', 'creditLimit', 'priceList'] } }}
      cells={{ name: nameCell('/accounts/$name', 'name') }}
    />
  );
}

/** The settings that nearly every new carrier needs. The other settings have good defaults. */
const firstSettings = ['host', 'port', 'systemId', 'password', 'links', 'window', 'throughput', 'preset'];
const carriersMs = 2_000;

export function Carriers() {
  return (
    <ListPage
      of={carrier}
      title={words.pages.carriers}
      except={{ add: { first: firstSettings } }}
      cells={{ name: nameCell('/carriers/$name', 'name'), status: healthCell }}
      refetchMs={carriersMs}
    />
  );
}

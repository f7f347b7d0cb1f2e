/* All accounts. */

import { account } from '@morsel/api/admin/account/account.ts';
import { ActionButton } from '../ui/action.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { words } from '../words/words.ts';
import { accountCell } from './cells.tsx';

const { add, list } = account.operations;

export function Accounts() {
  return (
    <>
      <Head
        title={words.pages.accounts}
        actions={
          <ActionButton
            label={words.accounts.add}
            operation={add}
            kind="primary"
            first={['balance', 'creditLimit', 'priceList']}
          />
        }
      />
      <List operation={list} cells={{ name: accountCell('name') }} whenEmpty={words.accounts.empty} />
    </>
  );
}

import { ok } from '@morsel/api/values/result.ts';
import { masterIdOf } from '../../../state/sealing/vault.ts';
import { encryptionKeyTable } from '../../../state/tables/account.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { pageOf } from '../page.ts';
import type { View } from '../view.ts';

const keyShape = shape({
  ...pick(encryptionKeyTable, 'version', 'createdAt', 'wrapped'),
  owner: integer,
  account: nullable(text),
});

/** Lists the keys in the order of their accounts, those of the gateway first. */
const list: View<'encryptionKey.list'> = async (queries, { after = '-1/0', limit }) => {
  const [owner, version] = after.split('/').map(Number);
  const rows = await queries.rows(
    keyShape,
    `select encryption_key.account as owner, version, encryption_key.created_at, wrapped, account.name as account
      from encryption_key left join account on account.id = encryption_key.account
      where (encryption_key.account, version) > (?, ?) order by encryption_key.account, version limit ?`,
    owner ?? 0,
    version ?? 0,
    limit + 1,
  );
  const { items, next } = pageOf(rows, limit, (row) => `${row.owner}/${row.version}`);
  return ok({ items: items.map((row) => ({ ...row, masterKey: masterIdOf(row.wrapped) })), next });
};

export const encryptionKeyViews = { 'encryptionKey.list': list };

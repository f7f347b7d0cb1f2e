import { masterIdOf } from '../../../state/sealing/vault.ts';
import { encryptionKeyTable } from '../../../state/tables/account.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { pageOf, type ListInput } from '../page.ts';
import type { Queries } from '../queries.ts';

const keyShape = shape({
  ...pick(encryptionKeyTable, 'version', 'createdAt', 'wrapped'),
  owner: integer,
  account: nullable(text),
});

/** Reads the keys in the order of their accounts, those of the gateway first. */
export async function readEncryptionKeys(queries: Queries, { after = '-1/0', limit }: ListInput) {
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
  const page = pageOf(rows, limit, (row) => `${row.owner}/${row.version}`);
  return {
    ...page,
    items: page.items.map(({ wrapped, owner: _owner, ...row }) => ({ ...row, masterKey: masterIdOf(wrapped) })),
  };
}

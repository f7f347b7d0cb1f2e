/* Records of the past: the audit log, refused requests, and the exports of CDRs. */

import { audit } from '@morsel/api/admin/access/audit.ts';
import { refusal } from '@morsel/api/admin/account/refusal.ts';
import { cdr } from '@morsel/api/admin/message/cdr.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { useMay } from '../app/session.ts';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { words } from '../words/words.ts';
import { accountCell, entryCell, messageCells } from './cells.tsx';
import { Checks } from './records/checks.tsx';

export function Records() {
  const may = useMay();
  const { records } = words;
  const account = accountCell();
  const lists = [
    { name: 'audit', of: audit.operations.list, cells: { entry: entryCell }, empty: records.noAudit },
    { name: 'refusals', of: refusal.operations.list, cells: { account }, empty: records.noRefusals },
    { name: 'inbound', of: inbound.operations.list, cells: messageCells, empty: records.noInbound },
    { name: 'cdr', of: cdr.operations.list, cells: messageCells, empty: records.noCdr },
  ] as const;
  const tabs = [
    ...lists.map(({ name, of, cells, empty }) => ({
      name,
      label: records[name],
      of,
      content: () => (
        <List
          title={records[name]}
          operation={of}
          cells={cells}
          whenEmpty={empty}
          isOldestFirst={of === cdr.operations.list}
        />
      ),
    })),
    { name: 'checks', label: records.checks, of: cdr.operations.check, content: () => <Checks /> },
  ];
  return (
    <>
      <Head title={words.pages.records} />
      <Tabs tabs={tabs.filter(({ of }) => may(of))} />
    </>
  );
}

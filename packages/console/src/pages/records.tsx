/* What happened: the audit log, refused requests, alerts, and the exports of CDRs. */

import { audit } from '@morsel/api/admin/access/audit.ts';
import { refusal } from '@morsel/api/admin/account/refusal.ts';
import { cdr } from '@morsel/api/admin/message/cdr.ts';
import { alert } from '@morsel/api/admin/money/alert.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { useMay } from '../app/session.ts';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useWords } from '../words/words.ts';
import { accountCell, entryCell, messageCells } from './cells.tsx';
import { Checks } from './records/checks.tsx';

export function Records() {
  const words = useWords();
  const may = useMay();
  const tabs = [
    {
      name: 'audit',
      label: words.records.audit,
      of: audit.operations.list,
      content: () => (
        <List
          title={words.records.audit}
          operation={audit.operations.list}
          cells={{ entry: entryCell }}
          whenEmpty={words.records.noAudit}
        />
      ),
    },
    {
      name: 'refusals',
      label: words.records.refusals,
      of: refusal.operations.list,
      content: () => (
        <List
          title={words.records.refusals}
          operation={refusal.operations.list}
          cells={{ account: accountCell() }}
          whenEmpty={words.records.noRefusals}
        />
      ),
    },
    {
      name: 'inbound',
      label: words.records.inbound,
      of: inbound.operations.list,
      content: () => (
        <List
          title={words.records.inbound}
          operation={inbound.operations.list}
          cells={messageCells}
          whenEmpty={words.records.noInbound}
        />
      ),
    },
    {
      name: 'cdr',
      label: words.records.cdr,
      of: cdr.operations.list,
      content: () => (
        <List
          title={words.records.cdr}
          operation={cdr.operations.list}
          cells={messageCells}
          whenEmpty={words.records.noCdr}
        />
      ),
    },
    {
      name: 'alerts',
      label: words.records.alerts,
      of: alert.operations.list,
      content: () => (
        <List
          title={words.records.alerts}
          operation={alert.operations.list}
          cells={messageCells}
          whenEmpty={words.records.noAlerts}
        />
      ),
    },
    { name: 'checks', label: words.records.checks, of: cdr.operations.check, content: () => <Checks /> },
  ].filter(({ of }) => may(of));
  return (
    <>
      <Head title={words.pages.records} />
      <Tabs tabs={tabs} />
    </>
  );
}

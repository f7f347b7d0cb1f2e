/* Lists of what waits for a decision of an operator, each with the action that settles it. */

import { alarm } from '@morsel/api/admin/alarm/alarm.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { receipt } from '@morsel/api/admin/message/receipt.ts';
import { notification } from '@morsel/api/admin/notification/notification.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import { Link } from '@tanstack/react-router';
import { useMay } from '../app/session.ts';
import { ActionButton } from '../ui/action.tsx';
import { Head } from '../ui/head.tsx';
import { List, nameIn, type Row } from '../ui/list.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { css } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { messageCells } from './cells.tsx';
import { InDoubt } from './decide/in-doubt.tsx';
import { UnmatchedReceipts } from './decide/unmatched.tsx';

const refetchMs = 5_000;

export function Decide() {
  const may = useMay();
  const tabs = [
    { name: 'alarms', label: words.decide.alarms, of: alarm.operations.list, content: () => <Alarms /> },
    { name: 'dead', label: words.decide.dead, of: notification.operations.list, content: () => <DeadLetters /> },
    { name: 'doubt', label: words.decide.inDoubt, of: message.operations.inDoubt, content: () => <InDoubt /> },
    {
      name: 'receipts',
      label: words.decide.receipts,
      of: receipt.operations.unmatched,
      content: () => <UnmatchedReceipts />,
    },
    { name: 'inbound', label: words.decide.inbound, of: inbound.operations.list, content: () => <Inbound /> },
  ].filter(({ of }) => may(of));
  return (
    <>
      <Head title={words.pages.decide} about={words.decide.about} />
      <Tabs tabs={tabs} />
    </>
  );
}

function Alarms() {
  return (
    <List
      title={words.decide.alarms}
      operation={alarm.operations.list}
      columns={['evidence', 'severity', 'state', 'openedAt']}
      cells={{ evidence: alarmCell }}
      actions={({ alarm: id, kind, subject, state }) =>
        state !== 'closed' && (
          <>
            {state === 'open' && (
              <ActionButton label={words.decide.ack} operation={alarm.operations.ack} fixed={{ alarm: id }} />
            )}
            <ActionButton label={words.decide.quiet} operation={alarm.operations.quiet} fixed={{ kind, subject }} />
          </>
        )
      }
      whenEmpty={words.decide.noAlarms}
      refetchMs={refetchMs}
    />
  );
}

/** The cell of an alarm: what is wrong, and the command that helps. */
function alarmCell(row: Row) {
  return (
    <div className={css['long']}>
      <Link to="/decide/alarms/$id" params={{ id: nameIn(row, 'alarm') }}>
        {printable(`${nameIn(row, 'kind')} ${nameIn(row, 'subject')}`)}
      </Link>
      <div>{printable(nameIn(row, 'evidence'))}</div>
      <code className={css['mono']}>{printable(nameIn(row, 'help'))}</code>
    </div>
  );
}

function DeadLetters() {
  const { replay } = webhook.operations;
  return (
    <List
      title={words.decide.dead}
      operation={notification.operations.list}
      fixed={{ state: 'dead' }}
      cells={messageCells}
      toolbar={
        <ActionButton
          label={words.decide.replayMany}
          operation={replay}
          first={['account', 'webhook', 'since', 'all']}
          hasResult
        />
      }
      actions={(row) => (
        <ActionButton label={words.decide.replay} operation={replay} fixed={{ notification: row['id'] }} hasResult />
      )}
      whenEmpty={words.decide.noDead}
      refetchMs={refetchMs}
    />
  );
}

function Inbound() {
  const { list, replay } = inbound.operations;
  return (
    <List
      title={words.decide.inbound}
      operation={list}
      fixed={{ unmatched: 'true' }}
      cells={messageCells}
      toolbar={
        <ActionButton label={words.decide.replayMany} operation={replay} first={['unmatched', 'account']} hasResult />
      }
      actions={({ msgId }) => (
        <ActionButton label={words.decide.replay} operation={replay} fixed={{ ids: [String(msgId)] }} hasResult />
      )}
      whenEmpty={words.decide.noInbound}
    />
  );
}

/* What waits for a decision of an operator, each list with the action that settles it. */

import { alarm } from '@morsel/api/admin/alarm/alarm.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { receipt } from '@morsel/api/admin/message/receipt.ts';
import { notification } from '@morsel/api/admin/notification/notification.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { useMay } from '../app/session.ts';
import { ActionButton } from '../ui/action.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { css } from '../ui/ui.tsx';
import { useWords } from '../words/words.ts';
import { messageCells } from './cells.tsx';
import { Settle } from './decide/settle.tsx';

const refetchMs = 5_000;

export function Decide() {
  const words = useWords();
  const may = useMay();
  const tabs = [
    { name: 'alarms', label: words.decide.alarms, of: alarm.operations.list, content: () => <Alarms /> },
    { name: 'dead', label: words.decide.dead, of: notification.operations.list, content: () => <DeadLetters /> },
    {
      name: 'doubt',
      label: words.decide.inDoubt,
      of: message.operations.inDoubt,
      content: () => (
        <List
          title={words.decide.inDoubt}
          operation={message.operations.inDoubt}
          cells={messageCells}
          toolbar={<Settle />}
          actions={({ msgId, part }) => (
            <ActionButton
              label={words.decide.settle}
              operation={message.operations.settle}
              fixed={{ id: String(msgId), part }}
            />
          )}
          whenEmpty={words.decide.noDoubt}
          refetchMs={refetchMs}
        />
      ),
    },
    {
      name: 'receipts',
      label: words.decide.receipts,
      of: receipt.operations.unmatched,
      content: () => (
        <List
          title={words.decide.receipts}
          operation={receipt.operations.unmatched}
          cells={messageCells}
          whenEmpty={words.decide.noReceipts}
          refetchMs={refetchMs}
        />
      ),
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
  const words = useWords();
  return (
    <List
      title={words.decide.alarms}
      operation={alarm.operations.list}
      cells={{ help: ({ help }) => <code className={css['mono']}>{String(help)}</code> }}
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

function DeadLetters() {
  const words = useWords();
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
  const words = useWords();
  const { list, replay } = inbound.operations;
  return (
    <List
      title={words.decide.inbound}
      operation={list}
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

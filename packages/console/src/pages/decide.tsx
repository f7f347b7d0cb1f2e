/* Lists of what waits for a decision of an operator, each with the action that settles it. */

import { alarm } from '@morsel/api/admin/alarm/alarm.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { receipt } from '@morsel/api/admin/message/receipt.ts';
import { notification } from '@morsel/api/admin/notification/notification.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import { Act } from '../ui/action.tsx';
import { Head } from '../ui/page/head.tsx';
import { All } from '../ui/pairs.tsx';
import { Detail, Parts, type Part } from '../ui/resource.tsx';
import { Card } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { messageCells, receiptCells } from './cells.tsx';
import { alarmCell, Said } from './decide/alarm.tsx';
import { InDoubt } from './decide/in-doubt.tsx';

const refetchMs = 5_000;

const parts: Readonly<Record<string, Part>> = {
  alarms: {
    of: alarm,
    acts: ['ack', 'quiet'],
    columns: ['title', 'severity', 'state', 'openedAt'],
    cells: { title: alarmCell },
    refetchMs,
  },
  dead: {
    of: notification,
    title: words.decide.dead,
    fixed: { state: 'dead' },
    cells: messageCells,
    toolbar: (
      <Act of={webhook} verb="replay" label={words.decide.replayMany} first={['account', 'webhook', 'since', 'all']} />
    ),
    actions: ({ id }) => <Act of={webhook} verb="replay" fixed={{ notification: id }} />,
    whenEmpty: words.decide.noDead,
    refetchMs,
  },
  doubt: { of: message, verb: 'inDoubt', content: () => <InDoubt /> },
  receipts: { of: receipt, verb: 'unmatched', cells: receiptCells, whenEmpty: words.decide.noReceipts, refetchMs },
  inbound: {
    of: inbound,
    title: words.decide.inbound,
    fixed: { unmatched: 'true' },
    cells: messageCells,
    toolbar: <Act of={inbound} verb="replay" label={words.decide.replayMany} first={['unmatched', 'account']} />,
    actions: ({ msgId }) => <Act of={inbound} verb="replay" fixed={{ ids: [String(msgId)] }} />,
    whenEmpty: words.decide.noInbound,
  },
};

export function Decide() {
  return (
    <>
      <Head title={words.pages.decide} about={words.decide.about} />
      <Parts parts={parts} />
    </>
  );
}

/** What stands above the other fields of an alarm, or in words instead. */
const shown = ['title', 'evidence', 'help', 'subject'];

/** The page of an alarm. */
export function Alarm() {
  return (
    <Detail
      of={alarm}
      title={(id, row) => printable(row?.title ?? words.details.alarm(id))}
      acts={['ack', 'quiet']}
      content={(row) => (
        <>
          <Card>
            <Said row={row} />
          </Card>
          <All
            answer={alarm.operations.show.answer}
            row={row}
            title={words.details.alarm(String(row.alarm))}
            without={shown}
          />
        </>
      )}
    />
  );
}

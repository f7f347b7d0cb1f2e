/* One row of a list with everything about it: an entry of the audit log, an inbound message, an unmatched receipt. */

import { audit, auditFields } from '@morsel/api/admin/access/audit.ts';
import { readJson } from '@morsel/api/fields/exact-json.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { receipt } from '@morsel/api/admin/message/receipt.ts';
import { failureFields, notificationFields } from '@morsel/api/admin/notification/notification.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { Link } from '@tanstack/react-router';
import { labelFrom, printable } from '@morsel/api/fields/shown.ts';
import { Act } from '../ui/action.tsx';
import { Differences } from '../ui/differences.tsx';
import { Pairs } from '../ui/pairs.tsx';
import { Detail } from '../ui/resource.tsx';
import { RowsCard } from '../ui/rows-card.tsx';
import { Card, css, Empty } from '../ui/ui.tsx';
import { forRoles } from '../ui/page/way-on.tsx';
import { words } from '../words/words.ts';
import { UndoChangeSet } from './route/undo.tsx';
import { MessageText } from './message/text.tsx';

type Members = Readonly<Record<string, unknown>>;

/** A changed row, or how many rows of a table have changed. */
interface Changed {
  readonly table: string;
  readonly key?: Members;
  readonly before?: Members;
  readonly after?: Members;
}

export const AuditEntry = forRoles(audit.operations.show, () => {
  return <Detail of={audit} title={words.details.entry} content={(entry) => <Entry entry={entry} />} />;
});

function Entry({ entry }: { readonly entry: AnswerOf<typeof audit.operations.show> }) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the gateway wrote it
  const [given, changes] = [readJson(entry.given) as Members, readJson(entry.changes) as readonly Changed[]];
  return (
    <>
      <Card
        title={entry.operation}
        actions={entry.operation === 'changeSet.apply' && <UndoChangeSet name={textOf(given['changeSet']) ?? ''} />}
      >
        <Pairs answer={auditFields} row={entry} without={['entry', 'operation', 'given', 'changes']} />
      </Card>
      <Card title={words.details.request}>
        <Texts members={given} />
      </Card>
      {changes.length === 0 && <Empty>{words.details.noChanges}</Empty>}
      {changes.map(({ table, key, before, after, ...counts }) => (
        <Card key={`${table} ${textOf(key)}`} title={table.replaceAll('_', ' ')}>
          <div className={css['stack']}>
            <Texts members={{ ...key, ...counts }} />
            <Differences
              changes={Object.keys({ ...before, ...after })
                .map((field) => ({
                  label: labelFrom(field),
                  before: textOf(before?.[field]),
                  after: textOf(after?.[field]),
                }))
                .filter((each) => each.before !== each.after)}
            />
          </div>
        </Card>
      ))}
    </>
  );
}

function Texts({ members }: { readonly members: Members }) {
  return (
    <dl className={css['pairs']}>
      {Object.entries(members).map(([name, value]) => (
        <div key={name} className={css['pair']}>
          <dt>{labelFrom(name)}</dt>
          <dd>{printable(textOf(value) ?? '–')}</dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const inboundNames = [
  'receivedTime',
  'account',
  'matchedBy',
  'keyword',
  'delivery',
  'carrier',
  'dcs',
  'dataCoding',
  'numParts',
  'partsReceived',
  'complete',
  'destinationPort',
  'sourcePort',
  'header',
];

const notificationColumns = ['id', 'state', 'webhook', 'tries', 'createdAt', 'due', 'endedAt', 'triedBy', 'outcome'];
const { at, by, outcome } = failureFields;
const failureTable = { notification: notificationFields.id, at, by, outcome };

export const InboundMessage = forRoles(inbound.operations.show, () => {
  return (
    <Detail
      of={inbound}
      title={words.details.inbound}
      head={(id) => <Act of={inbound} verb="replay" fixed={{ ids: [id] }} />}
      content={(found) => <Inbound found={found} />}
    />
  );
});

function Inbound({ found }: { readonly found: AnswerOf<typeof inbound.operations.show> }) {
  const failures = found.notifications.flatMap((each) =>
    each.failures.map((failure) => ({ notification: each.id, ...failure })),
  );
  return (
    <>
      <Card title={words.message.fromTo(printable(found.sender), printable(found.receiver))}>
        <div className={css['stack']}>
          <MessageText {...found} />
          <Pairs answer={inbound.operations.show.answer} row={found} names={inboundNames} />
          {found.account !== null && (
            <Link to="/accounts/$name" params={{ name: found.account }} search={{ tab: 'numbers' }}>
              {words.details.numbersOf(found.account)}
            </Link>
          )}
        </div>
      </Card>
      <RowsCard
        title={words.message.notifications}
        file={`notifications-${found.msgId}`}
        answer={notificationFields}
        columns={notificationColumns}
        rows={found.notifications}
        whenEmpty={words.details.noNotifications}
      />
      {failures.length > 0 && (
        <RowsCard
          title={words.details.failures}
          file={`failures-${found.msgId}`}
          answer={failureTable}
          rows={failures}
        />
      )}
    </>
  );
}

export const UnmatchedReceipt = forRoles(receipt.operations.show, () => {
  return <Detail of={receipt} title={words.details.receipt} content={(found) => <Receipt found={found} />} />;
});

function Receipt({ found }: { readonly found: AnswerOf<typeof receipt.operations.show> }) {
  const { carrier, carrierId, sender } = found;
  const number = /^\+?(\d+)$/.exec(sender)?.[1];
  return (
    <>
      <Card title={words.details.received}>
        <Pairs answer={receipt.operations.show.answer} row={found} without={['id']} />
      </Card>
      <Card title={words.details.whatToDo}>
        <ul className={css['plain']}>
          <li>
            <Link to="/carriers/$name" params={{ name: carrier }} search={{ tab: 'learned' }}>
              {words.details.learned(carrier)}
            </Link>
          </li>
          <li>
            <Link to="/messages" search={{ carrier, carrierMessageId: carrierId }}>
              {words.details.withId(printable(carrierId))}
            </Link>
          </li>
          {number !== undefined && (
            <li>
              <Link to="/messages" search={{ receiver: `+${number}` }}>
                {words.details.sentTo(`+${number}`)}
              </Link>
            </li>
          )}
        </ul>
      </Card>
    </>
  );
}

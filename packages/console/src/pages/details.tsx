/* One row of a list with everything about it: an entry of the audit log, an alarm, an inbound message, an unmatched receipt. */

import { auditFields } from '@morsel/api/admin/access/audit.ts';
import { alarm, noticeFields } from '@morsel/api/admin/alarm/alarm.ts';
import { readJson } from '@morsel/api/fields/exact-json.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { receipt } from '@morsel/api/admin/message/receipt.ts';
import { failureFields, notificationFields } from '@morsel/api/admin/notification/notification.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { printable } from '@morsel/api/fields/shown.ts';
import { calls, valueOf } from '../app/client.ts';
import { searchOf } from '../app/search.ts';
import { ActionButton } from '../ui/action.tsx';
import { Differences } from '../ui/differences.tsx';
import { Head } from '../ui/head.tsx';
import { labelOf } from '../ui/labels.ts';
import { Pairs } from '../ui/pairs.tsx';
import { RowsCard } from '../ui/rows-card.tsx';
import { Card, Code, css, Empty, Failure } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { MessageText } from './message/text.tsx';

function useFound<V>(name: string, ask: (id: string) => Promise<V>) {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  return { id, ...useQuery({ queryKey: [name, id], queryFn: () => ask(id) }) };
}

interface PageProps {
  readonly title: string;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

function Page({ title, error, isPending, actions, children = null }: PageProps) {
  return (
    <>
      <Head title={title} actions={actions} />
      {error && <Failure error={error} />}
      {isPending && <Empty>{words.loading}</Empty>}
      <div className={css['stack']}>{children}</div>
    </>
  );
}

type Members = Readonly<Record<string, unknown>>;

/** A changed row, or how many rows of a table have changed. */
interface Changed {
  readonly table: string;
  readonly key?: Members;
  readonly before?: Members;
  readonly after?: Members;
}

export function AuditEntry() {
  const { id, data, error, isPending } = useFound('audit', (entry) => valueOf(calls.audit.show({ entry })));
  const page = { title: words.details.entry(id), error, isPending };
  if (!data) return <Page {...page} />;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the gateway wrote it
  const [given, changes] = [readJson(data.given) as Members, readJson(data.changes) as readonly Changed[]];
  return (
    <Page {...page}>
      <Card title={data.operation}>
        <Pairs answer={auditFields} row={data} without={['entry', 'operation', 'given', 'changes']} />
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
                .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
                .filter((each) => each.before !== each.after)}
            />
          </div>
        </Card>
      ))}
    </Page>
  );
}

function Texts({ members }: { readonly members: Members }) {
  return (
    <dl className={css['pairs']}>
      {Object.entries(members).map(([name, value]) => (
        <div key={name} className={css['pair']}>
          <dt>{labelOf(name)}</dt>
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

export function InboundMessage() {
  const { id, data, error, isPending } = useFound('inbound', (msgId) => valueOf(calls.inbound.show({ id: msgId })));
  const page = { title: words.details.inbound(id), error, isPending };
  if (!data) return <Page {...page} />;
  const { replay, show } = inbound.operations;
  const failures = data.notifications.flatMap((each) =>
    each.failures.map((failure) => ({ notification: each.id, ...failure })),
  );
  return (
    <Page
      {...page}
      actions={<ActionButton label={words.decide.replay} operation={replay} fixed={{ ids: [id] }} hasResult />}
    >
      <Card title={words.message.fromTo(printable(data.sender), printable(data.receiver))}>
        <div className={css['stack']}>
          <MessageText {...data} />
          <Pairs answer={show.answer} row={data} names={inboundNames} />
          {data.account !== null && (
            <Link to="/accounts/$name" params={{ name: data.account }} search={searchOf({ tab: 'numbers' })}>
              {words.details.numbersOf(data.account)}
            </Link>
          )}
        </div>
      </Card>
      <RowsCard
        title={words.message.notifications}
        file={`notifications-${id}`}
        answer={notificationFields}
        columns={notificationColumns}
        rows={data.notifications}
        whenEmpty={words.details.noNotifications}
      />
      {failures.length > 0 && (
        <RowsCard title={words.details.failures} file={`failures-${id}`} answer={failureTable} rows={failures} />
      )}
    </Page>
  );
}

export function Alarm() {
  const { id, data, error, isPending } = useFound('alarm', (given) => valueOf(calls.alarm.show({ alarm: given })));
  const page = { title: words.details.alarm(id), error, isPending };
  if (!data) return <Page {...page} />;
  const { kind, subject, state } = data;
  const { ack, quiet, show } = alarm.operations;
  return (
    <Page
      {...page}
      actions={
        state !== 'closed' && (
          <>
            {state === 'open' && <ActionButton label={words.decide.ack} operation={ack} fixed={{ alarm: id }} />}
            <ActionButton label={words.decide.quiet} operation={quiet} fixed={{ kind, subject }} />
          </>
        )
      }
    >
      <Card title={printable(`${kind} ${subject}`)}>
        <div className={css['stack']}>
          <Pairs answer={show.answer} row={data} without={['alarm', 'kind', 'subject', 'help']} />
          <Code label={words.details.help} text={data.help} />
        </div>
      </Card>
      <RowsCard
        title={words.details.heard}
        file={`alarm-${id}`}
        answer={noticeFields}
        rows={data.notices}
        whenEmpty={words.details.nobodyHeard}
      />
    </Page>
  );
}

export function UnmatchedReceipt() {
  const { id, data, error, isPending } = useFound('receipt', (given) => valueOf(calls.receipt.show({ id: given })));
  const page = { title: words.details.receipt(id), error, isPending };
  if (!data) return <Page {...page} />;
  const { carrier, carrierId, sender } = data;
  const { show } = receipt.operations;
  const number = /^\+?(\d+)$/.exec(sender)?.[1];
  return (
    <Page {...page}>
      <Card title={words.details.received}>
        <Pairs answer={show.answer} row={data} without={['id']} />
      </Card>
      <Card title={words.details.whatToDo}>
        <ul className={css['plain']}>
          <li>
            <Link to="/carriers/$name" params={{ name: carrier }} search={searchOf({ tab: 'learned' })}>
              {words.details.learned(carrier)}
            </Link>
          </li>
          <li>
            <Link to="/messages" search={searchOf({ carrier, carrierMessageId: carrierId })}>
              {words.details.withId(printable(carrierId))}
            </Link>
          </li>
          {number !== undefined && (
            <li>
              <Link to="/messages" search={searchOf({ receiver: `+${number}` })}>
                {words.details.sentTo(`+${number}`)}
              </Link>
            </li>
          )}
        </ul>
      </Card>
    </Page>
  );
}

/* One message: its time line from the request to the notification, its parts, its price, its route, and what can be done. */

import { message } from '@morsel/api/admin/message/message.ts';
import { attemptFields, partFields } from '@morsel/api/admin/message/message-fields.ts';
import { notification } from '@morsel/api/admin/notification/notification.ts';
import { route } from '@morsel/api/admin/routing/route.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useName } from '../app/search.ts';
import { calls, valueOf } from '../app/client.ts';
import { useMay } from '../app/session.ts';
import { Act } from '../ui/action.tsx';
import { Head } from '../ui/page/head.tsx';
import { Rows } from '../ui/list/rows.tsx';
import { Pairs } from '../ui/pairs.tsx';
import { RowsCard } from '../ui/rows-card.tsx';
import { Card, classes, css, Failure, Loading, Note } from '../ui/ui.tsx';
import { Money, State, Time } from '../ui/values.tsx';
import { forRoles } from '../ui/page/way-on.tsx';
import { words } from '../words/words.ts';
import { messageCells } from './cells.tsx';
import own from './message/message.module.css';
import { MessageText } from './message/text.tsx';
import { lifeOf, type Whole } from './message/timeline.ts';

const { show } = message.operations;

const waiting = ['queued', 'scheduled'];
const [soonMs, laterMs] = [1_000, 10_000];

export const Message = forRoles(message.operations.show, () => {
  const id = useName();
  const found = useQuery<Whole>({
    queryKey: [show.path, id],
    queryFn: () => valueOf(calls.message.show({ id })),
    refetchInterval: ({ state }) => (state.data && Date.now() - state.data.acceptedAt < 60 * soonMs ? soonMs : laterMs),
  });
  const whole = found.data;
  return (
    <>
      <Head
        title={words.message.title(id)}
        actions={
          whole && (
            <>
              {whole.parts.some(({ state }) => waiting.includes(state)) && (
                <Act
                  of={message}
                  verb="cancel"
                  fixed={{ id }}
                  warning={words.message.cancelWarns(whole.numParts)}
                  kind="danger"
                />
              )}
              {whole.parts.some(({ state }) => state === 'in_doubt') && (
                <Act of={message} verb="settle" label={words.message.settle} fixed={{ id }} />
              )}
            </>
          )
        }
      />
      {found.error && <Failure error={found.error} />}
      {found.isPending && <Loading />}
      {whole && <Found whole={whole} />}
    </>
  );
});

const moneyNames = [
  'unitPrice',
  'totalCost',
  'refunded',
  'margin',
  'priceList',
  'priceVersion',
  'balanceAfter',
  'entry',
];
const wayNames = ['encoding', 'dcs', 'flash', 'clientRef', 'tags', 'dueAt', 'expiresAt'];
const originNames = ['source', 'submitter', 'address', 'session'];
const attemptNames = [
  'attempt',
  'carrier',
  'link',
  'claimedAt',
  'answeredAt',
  'outcome',
  'commandStatusName',
  'carrierId',
  'cost',
];
const notificationNames = ['id', 'kind', 'event', 'state', 'tries', 'triedBy', 'outcome', 'endedAt'];

function Found({ whole }: { readonly whole: Whole }) {
  const { sender, receiver, account, currency } = whole;
  return (
    <div className={css['stack']}>
      <div className={css['row']}>
        <State word={whole.event} />
        <span>{words.message.fromTo(printable(sender), printable(receiver))}</span>
        <Link to="/accounts/$name" params={{ name: account }}>
          {account}
        </Link>
        <Money amount={whole.totalCost} currency={currency} />
      </div>
      {whole.parts.some(({ state }) => state === 'queued') && <Waiting whole={whole} />}
      <div className={css['columns']}>
        <Card title={words.message.life}>
          <Life whole={whole} />
        </Card>
        <div className={css['stack']}>
          <Card title={words.message.text}>
            <div className={css['stack']}>
              <MessageText {...whole} />
              <Pairs answer={show.answer} row={whole} names={wayNames} />
            </div>
          </Card>
          <Card title={words.message.money}>
            <Pairs answer={show.answer} row={whole} names={moneyNames} />
          </Card>
          <Card title={words.message.origin}>
            <div className={css['stack']}>
              <Pairs answer={show.answer} row={whole} names={originNames} />
              <Link to="/routes" search={{ tab: 'explain', account, receiver, sender }}>
                {words.message.route(whole.route)}
              </Link>
            </div>
          </Card>
        </div>
      </div>
      {whole.parts.map((part) => (
        <Card
          key={part.part}
          title={words.message.part(part.part, whole.numParts)}
          actions={<State word={part.state} />}
        >
          <div className={css['stack']}>
            <Pairs answer={partFields} row={part} without={['part', 'state']} />
            {part.attempts.length > 0 && (
              <Rows
                answer={attemptFields}
                columns={attemptNames}
                rows={part.attempts.map((each) => ({ ...each }))}
                cells={messageCells}
              />
            )}
          </div>
        </Card>
      ))}
      {whole.notifications.length > 0 && (
        <RowsCard
          title={words.message.notifications}
          file={`notifications-${whole.msgId}`}
          answer={notification.operations.list.answer}
          columns={notificationNames}
          rows={whole.notifications}
        />
      )}
    </div>
  );
}

const { explain } = route.operations;

/** Why a message waits: what the carriers of its route would do now. */
function Waiting({ whole }: { readonly whole: Whole }) {
  const may = useMay();
  const { account, sender, receiver, encoding } = whole;
  const found = useQuery({
    queryKey: [explain.path, whole.msgId],
    queryFn: () => valueOf(calls.route.explain({ account, sender, receiver, encoding })),
    // A role that sees no numbers cannot ask about one.
    enabled: may(explain) && /^\+\d+$/.test(receiver),
    refetchInterval: laterMs,
  });
  if (!found.data || found.data.carriers.length === 0) return null;
  return (
    <Note>
      <strong>{words.message.waits}</strong>
      <ul className={css['plain']}>
        {found.data.carriers.map(({ carrier, why }) => (
          <li key={carrier}>
            <Link to="/carriers/$name" params={{ name: carrier }}>
              {carrier}
            </Link>
            : {why}
          </li>
        ))}
      </ul>
    </Note>
  );
}

function Life({ whole }: { readonly whole: Whole }) {
  return (
    <ol className={own['life']}>
      {lifeOf(whole).map((event, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- two events may be alike
        <li key={at} className={classes(own['event'], event.tone && own[event.tone])}>
          <strong>{printable(event.what)}</strong>
          {event.detail !== undefined && event.detail !== '' && (
            <div className={css['soft']}>{printable(event.detail)}</div>
          )}
          <div className={css['soft']}>
            <Time at={event.at} />
            {event.laterMs > 0 && <span className={css['digits']}> +{(event.laterMs / 1_000).toFixed(3)} s</span>}
          </div>
        </li>
      ))}
    </ol>
  );
}

/* One account: its balance, its limits and rules, and everything that belongs to it. */

import { account } from '@morsel/api/admin/account/account.ts';
import { login } from '@morsel/api/admin/account/login.ts';
import { session } from '@morsel/api/admin/account/session.ts';
import { token } from '@morsel/api/admin/account/token.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { posting } from '@morsel/api/admin/money/posting.ts';
import { notification } from '@morsel/api/admin/notification/notification.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { keyword } from '@morsel/api/admin/number/keyword.ts';
import { number } from '@morsel/api/admin/number/number.ts';
import { optOut } from '@morsel/api/admin/number/opt-out.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { calls, valueOf } from '../app/client.ts';
import { useMay } from '../app/session.ts';
import { ActionButton } from '../ui/action.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Pairs } from '../ui/pairs.tsx';
import { Tabs } from '../ui/tabs.tsx';
import type { Tab } from '../ui/tabs.tsx';
import { Card, css, Empty, Failure } from '../ui/ui.tsx';
import { Money, State } from '../ui/values.tsx';
import { useWords } from '../words/words.ts';
import { Statement } from './account/statement.tsx';
import { messageCells } from './cells.tsx';
import { SendButton } from './message/send.tsx';

const { show, set, suspend, resume, remove, erase, rules } = account.operations;
const refetchMs = 5_000;

export function Account() {
  const words = useWords();
  const navigate = useNavigate();
  const { name = '' }: { readonly name?: string } = useParams({ strict: false });
  const fixed = { account: name };
  const found = useQuery({
    queryKey: [show.path, name],
    queryFn: () => valueOf(calls.account.show(fixed)),
    refetchInterval: refetchMs,
  });
  const row = found.data;
  const tabs = useTabs(name);
  return (
    <>
      <Head
        title={name}
        actions={
          row && (
            <>
              <ActionButton
                label={words.account.topUp}
                operation={posting.operations.topUp}
                fixed={fixed}
                kind="primary"
                first={['reason']}
              />
              <SendButton account={name} />
              <ActionButton
                label={words.account.adjust}
                operation={posting.operations.adjust}
                fixed={fixed}
                first={[]}
              />
              <ActionButton label={words.account.edit} operation={set} fixed={fixed} row={{ ...row }} />
              {row.status === 'active' ? (
                <ActionButton
                  label={words.account.suspend}
                  operation={suspend}
                  fixed={fixed}
                  kind="danger"
                  warning={words.account.suspendWarns}
                />
              ) : (
                <ActionButton label={words.account.resume} operation={resume} fixed={fixed} />
              )}
            </>
          )
        }
      />
      {found.error && <Failure error={found.error} />}
      {found.isPending && <Empty>{words.loading}</Empty>}
      {row && (
        <div className={css['stack']}>
          <dl className={css['figures']}>
            <div className={css['figure']}>
              <dt>{words.account.balance}</dt>
              <dd>
                <Money amount={row.balance} currency={row.currency} />
              </dd>
            </div>
            <div className={css['figure']}>
              <dt>{words.account.spentDay}</dt>
              <dd>
                <Money amount={row.spentDay} />
              </dd>
            </div>
            <div className={css['figure']}>
              <dt>{words.account.spentMonth}</dt>
              <dd>
                <Money amount={row.spentMonth} />
              </dd>
            </div>
            <div className={css['figure']}>
              <dt>{words.account.credit}</dt>
              <dd>
                <Money amount={row.creditLimit} />
              </dd>
            </div>
            <div className={css['figure']}>
              <dt>{words.account.status}</dt>
              <dd>
                <State word={row.status} />
              </dd>
            </div>
          </dl>
          <Tabs tabs={tabs} />
          <div className={css['row']}>
            <ActionButton
              label={words.account.erase}
              operation={erase}
              fixed={fixed}
              kind="danger"
              warning={words.account.eraseWarns}
            />
            <ActionButton
              label={words.account.remove}
              operation={remove}
              fixed={fixed}
              kind="danger"
              warning={words.account.removeWarns}
              onDone={() => {
                void navigate({ to: '/accounts' });
                return undefined;
              }}
            />
          </div>
        </div>
      )}
    </>
  );
}

function useTabs(name: string): readonly Tab[] {
  const words = useWords();
  const may = useMay();
  const fixed = { account: name };
  const all: readonly (Tab & { readonly of: Parameters<typeof may>[0] })[] = [
    { name: 'settings', label: words.account.settings, of: show, content: () => <Settings name={name} /> },
    { name: 'messages', label: words.pages.messages, of: message.operations.find, content: () => <Sent name={name} /> },
    {
      name: 'statement',
      label: words.account.statement,
      of: posting.operations.statement,
      content: () => <Statement name={name} />,
    },
    { name: 'tokens', label: words.account.tokens, of: token.operations.list, content: () => <Tokens name={name} /> },
    { name: 'logins', label: words.account.logins, of: login.operations.list, content: () => <Logins name={name} /> },
    {
      name: 'webhooks',
      label: words.account.webhooks,
      of: webhook.operations.list,
      content: () => <Webhooks name={name} />,
    },
    {
      name: 'numbers',
      label: words.account.numbers,
      of: number.operations.list,
      content: () => <Numbers name={name} />,
    },
    {
      name: 'optOuts',
      label: words.account.optOuts,
      of: optOut.operations.list,
      content: () => (
        <>
          <List
            title={words.account.optOuts}
            operation={optOut.operations.list}
            fixed={fixed}
            toolbar={<ActionButton label={words.account.addOptOut} operation={optOut.operations.add} fixed={fixed} />}
            whenEmpty={words.account.noOptOuts}
          />
          <List
            title={words.account.optOutHistory}
            operation={optOut.operations.history}
            fixed={fixed}
            hasFilters={false}
          />
        </>
      ),
    },
    {
      name: 'rules',
      label: words.account.rules,
      of: rules,
      content: () => (
        <List title={words.account.rules} operation={rules} fixed={fixed} whenEmpty={words.account.noRuleHits} />
      ),
    },
  ];
  return all.filter(({ of }) => may(of));
}

interface OfAccount {
  readonly name: string;
}

function Settings({ name }: OfAccount) {
  const words = useWords();
  const found = useQuery({
    queryKey: [show.path, name],
    queryFn: () => valueOf(calls.account.show({ account: name })),
  });
  return (
    <Card title={words.account.settings}>
      {found.data && (
        <Pairs
          answer={show.answer}
          row={found.data}
          without={['name', 'status', 'balance', 'spentDay', 'spentMonth', 'creditLimit']}
        />
      )}
    </Card>
  );
}

function Sent({ name }: OfAccount) {
  const words = useWords();
  return (
    <List
      title={words.pages.messages}
      operation={message.operations.find}
      fixed={{ account: name }}
      cells={messageCells}
      whenEmpty={words.messages.empty}
    />
  );
}

function Tokens({ name }: OfAccount) {
  const words = useWords();
  const { add, list, usage, rotate, revoke } = token.operations;
  const fixed = { account: name };
  return (
    <>
      <List
        title={words.account.tokens}
        operation={list}
        fixed={fixed}
        toolbar={<ActionButton label={words.account.addToken} operation={add} fixed={fixed} kind="primary" />}
        actions={({ id, revokedAt }) =>
          revokedAt === null && (
            <>
              <ActionButton label={words.account.rotate} operation={rotate} fixed={{ id }} />
              <ActionButton
                label={words.account.revoke}
                operation={revoke}
                fixed={{ id }}
                kind="danger"
                warning={words.account.revokeWarns(String(id))}
              />
            </>
          )
        }
        whenEmpty={words.account.noTokens}
      />
      <List title={words.account.tokenUsage} operation={usage} fixed={fixed} hasFilters={false} />
    </>
  );
}

function Logins({ name }: OfAccount) {
  const words = useWords();
  const { add, list, set: change, remove: end } = login.operations;
  const { list: sessions, close } = session.operations;
  const fixed = { account: name };
  return (
    <>
      <List
        title={words.account.logins}
        operation={list}
        fixed={fixed}
        toolbar={<ActionButton label={words.account.addLogin} operation={add} fixed={fixed} kind="primary" />}
        actions={(row) => (
          <>
            <ActionButton label={words.edit} operation={change} fixed={{ systemId: row['systemId'] }} row={row} />
            <ActionButton
              label={words.remove}
              operation={end}
              fixed={{ systemId: row['systemId'] }}
              kind="danger"
              warning={words.account.removeLoginWarns(String(row['systemId']))}
            />
          </>
        )}
        whenEmpty={words.account.noLogins}
      />
      <List
        title={words.account.sessions}
        operation={sessions}
        fixed={fixed}
        refetchMs={refetchMs}
        actions={({ id }) => (
          <ActionButton
            label={words.account.closeSession}
            operation={close}
            fixed={{ id }}
            kind="danger"
            warning={words.account.closeSessionWarns}
          />
        )}
        whenEmpty={words.account.noSessions}
      />
    </>
  );
}

function Webhooks({ name }: OfAccount) {
  const words = useWords();
  const { add, list, set: change, test, pause, resume: goOn, replay, remove: end } = webhook.operations;
  const fixed = { account: name };
  return (
    <>
      <List
        title={words.account.webhooks}
        operation={list}
        fixed={fixed}
        toolbar={
          <>
            <ActionButton
              label={words.account.addWebhook}
              operation={add}
              fixed={fixed}
              kind="primary"
              first={['url']}
            />
            <ActionButton
              label={words.account.replay}
              operation={replay}
              fixed={fixed}
              first={['webhook', 'since']}
              hasResult
            />
          </>
        }
        actions={(row) => (
          <>
            <ActionButton label={words.test} operation={test} fixed={{ webhook: row['id'] }} hasResult />
            <ActionButton label={words.edit} operation={change} fixed={{ webhook: row['id'] }} row={row} />
            {row['status'] === 'active' ? (
              <ActionButton label={words.pause} operation={pause} fixed={{ webhook: row['id'] }} />
            ) : (
              <ActionButton label={words.resume} operation={goOn} fixed={{ webhook: row['id'] }} />
            )}
            <ActionButton
              label={words.remove}
              operation={end}
              fixed={{ webhook: row['id'] }}
              kind="danger"
              warning={words.account.removeWebhookWarns}
            />
          </>
        )}
        whenEmpty={words.account.noWebhooks}
      />
      <List
        title={words.account.notifications}
        operation={notification.operations.list}
        fixed={fixed}
        cells={messageCells}
        whenEmpty={words.account.noNotifications}
      />
    </>
  );
}

function Numbers({ name }: OfAccount) {
  const words = useWords();
  const fixed = { account: name };
  return (
    <>
      <List
        title={words.account.numbers}
        operation={number.operations.list}
        fixed={fixed}
        toolbar={
          <ActionButton
            label={words.account.addNumber}
            operation={number.operations.add}
            fixed={fixed}
            kind="primary"
          />
        }
        actions={({ number: digits, kind }) => (
          <ActionButton
            label={words.remove}
            operation={number.operations.remove}
            fixed={{ number: digits, kind }}
            kind="danger"
            warning={words.account.removeNumberWarns}
          />
        )}
        whenEmpty={words.account.noNumbers}
      />
      <List
        title={words.account.keywords}
        operation={keyword.operations.list}
        fixed={fixed}
        toolbar={<ActionButton label={words.account.addKeyword} operation={keyword.operations.add} fixed={fixed} />}
        actions={({ number: digits, kind, word }) => (
          <ActionButton
            label={words.remove}
            operation={keyword.operations.remove}
            fixed={{ number: digits, kind, word }}
            kind="danger"
            warning={words.account.removeKeywordWarns}
          />
        )}
        whenEmpty={words.account.noKeywords}
      />
    </>
  );
}

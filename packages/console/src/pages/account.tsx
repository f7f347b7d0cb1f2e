/* One account: its balance, its limits and rules, and everything that belongs to it. */

import { account } from '@morsel/api/admin/account/account.ts';
import { login } from '@morsel/api/admin/account/login.ts';
import { token } from '@morsel/api/admin/account/token.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { posting } from '@morsel/api/admin/money/posting.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
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
import { Tabs, type Tab } from '../ui/tabs.tsx';
import { Card, css, Empty, Failure, Figure } from '../ui/ui.tsx';
import { Money, State } from '../ui/values.tsx';
import { words } from '../words/words.ts';
import { Logins, Tokens } from './account/access.tsx';
import { Numbers, OptOuts } from './account/numbers.tsx';
import { Statement } from './account/statement.tsx';
import { Webhooks } from './account/webhooks.tsx';
import { messageCells, messageColumns } from './cells.tsx';
import { SendButton } from './message/send.tsx';

const { show, set, suspend, resume, remove, erase, rules } = account.operations;
const refetchMs = 5_000;

export function Account() {
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
            <Figure label={words.account.balance}>
              <Money amount={row.balance} currency={row.currency} />
            </Figure>
            <Figure label={words.account.spentDay}>
              <Money amount={row.spentDay} />
            </Figure>
            <Figure label={words.account.spentMonth}>
              <Money amount={row.spentMonth} />
            </Figure>
            <Figure label={words.account.credit}>
              <Money amount={row.creditLimit} />
            </Figure>
            <Figure label={words.account.status}>
              <State word={row.status} />
            </Figure>
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
      content: () => <OptOuts name={name} />,
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
  return (
    <List
      title={words.pages.messages}
      operation={message.operations.find}
      fixed={{ account: name }}
      columns={messageColumns}
      cells={messageCells}
      whenEmpty={words.messages.empty}
    />
  );
}

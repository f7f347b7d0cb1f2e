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
import { Act } from '../ui/action.tsx';
import { Detail, type Part } from '../ui/resource.tsx';
import { words } from '../words/words.ts';
import { Statement } from './account/statement.tsx';
import { messageCells, messageColumns } from './cells.tsx';
import { SendButton } from './message/send.tsx';

const sessionsMs = 5_000;
const figures = ['balance', 'spentDay', 'spentMonth', 'creditLimit', 'status'];

export function Account() {
  return (
    <Detail
      of={account}
      back="/accounts"
      head={(name, { currency }) => (
        <>
          <Act
            of={posting}
            verb="topUp"
            fixed={{ account: name }}
            row={{ currency }}
            kind="primary"
            first={['reason']}
            hasResult={false}
          />
          <SendButton account={name} />
          <Act of={posting} verb="adjust" fixed={{ account: name }} row={{ currency }} first={[]} hasResult={false} />
        </>
      )}
      figures={figures}
      refetchMs={5_000}
      parts={partsOf}
    />
  );
}

function partsOf(name: string): Readonly<Record<string, Part>> {
  const fixed = { account: name };
  return {
    settings: { of: account, verb: 'show', without: ['name', ...figures] },
    messages: {
      of: message,
      verb: 'find',
      columns: messageColumns,
      cells: messageCells,
      next: <SendButton account={name} />,
    },
    statement: { of: posting, verb: 'statement', content: () => <Statement name={name} /> },
    tokens: { of: token, also: [{ of: token, verb: 'usage', hasFilters: false }] },
    logins: {
      of: login,
      also: [
        {
          of: session,
          refetchMs: sessionsMs,
          actions: ({ id }) => <Act of={session} verb="close" fixed={{ id }} hasResult={false} />,
        },
      ],
    },
    webhooks: {
      of: webhook,
      except: { add: { first: ['url', 'on', 'allow'] } },
      toolbar: (
        <Act of={webhook} verb="replay" label={words.account.replay} fixed={fixed} first={['webhook', 'since']} />
      ),
      also: [{ of: notification, cells: messageCells }],
    },
    numbers: { of: number, also: [{ of: keyword }] },
    optOuts: { of: optOut, acts: ['remove'], also: [{ of: optOut, verb: 'history', hasFilters: false }] },
    rules: { of: account, verb: 'rules' },
  };
}

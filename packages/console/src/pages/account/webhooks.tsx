/* The webhooks of an account, which get its receipts and inbound messages, and the notifications that were sent. */

import { notification } from '@morsel/api/admin/notification/notification.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { ActionButton } from '../../ui/action.tsx';
import { List } from '../../ui/list.tsx';
import { words } from '../../words/words.ts';
import { messageCells } from '../cells.tsx';

export function Webhooks({ name }: { readonly name: string }) {
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

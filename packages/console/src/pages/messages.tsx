/* Messages by their filters, or by one word that may be an id, a number, a carrier's id, a reference or a tag. */

import { message } from '@morsel/api/admin/message/message.ts';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../app/search.ts';
import { Act } from '../ui/action.tsx';
import { Head } from '../ui/page/head.tsx';
import { List } from '../ui/list.tsx';
import { css } from '../ui/ui.tsx';
import { forRoles } from '../ui/page/way-on.tsx';
import { words } from '../words/words.ts';
import { messageCells, messageColumns } from './cells.tsx';
import { SendButton } from './message/send.tsx';

const { find } = message.operations;

export const Messages = forRoles(message.operations.find, () => {
  const { find: wanted } = useTexts();
  return (
    <>
      <Head
        title={words.pages.messages}
        about={words.messages.about}
        actions={
          <>
            <SendButton />
            <Act of={message} verb="cancelMany" kind="danger" first={['account', 'carrier', 'state']} />
          </>
        }
      />
      {wanted === undefined ? (
        <List
          operation={find}
          columns={messageColumns}
          cells={messageCells}
          whenEmpty={words.messages.empty}
          next={<SendButton />}
        />
      ) : (
        <FoundByWord key={wanted} wanted={wanted} />
      )}
    </>
  );
});

const idForm = /^[1-9]\d{13,15}$/;

/** The fields that the typed word may be. Each field is searched by its own index. */
function waysOf(wanted: string): readonly (readonly [field: string, text: string])[] {
  const digits = wanted.replaceAll(/[\s().-]/g, '');
  return [
    ...(/^(?:\+|00)?\d{5,15}$/.test(digits) ? [['receiver', `+${digits.replace(/^(?:\+|00)/, '')}`] as const] : []),
    ['carrierMessageId', wanted],
    ['clientRef', wanted],
    ...(find.input.tag.read(wanted).ok ? [['tag', wanted] as const] : []),
  ];
}

const foundMax = '20';

function FoundByWord({ wanted }: { readonly wanted: string }) {
  return (
    <div className={css['stack']}>
      {idForm.test(wanted) && (
        <p>
          <Link to="/messages/$id" params={{ id: wanted }}>
            {words.messages.openId(wanted)}
          </Link>
        </p>
      )}
      {waysOf(wanted).map(([field, text]) => (
        <List
          key={field}
          title={words.messages.by(field)}
          operation={find}
          fixed={{ [field]: text, limit: foundMax }}
          columns={messageColumns}
          cells={messageCells}
          toolbar={
            <Link className={css['button']} to="/messages" search={{ [field]: text }}>
              {words.messages.more}
            </Link>
          }
          whenEmpty={words.nothingFound}
          isPart
        />
      ))}
    </div>
  );
}

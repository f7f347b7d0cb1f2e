/*
 * Sends a message, and shows its encoding, parts and price while the viewer types. The gateway itself counts the parts.
 */

import { message } from '@morsel/api/admin/message/message.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import { countParts, listOutside } from '@morsel/gsm';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState, type FormEvent } from 'react';
import { useChange } from '../../app/change.ts';
import { calls, CallFailed, callsOnce, valueOf } from '../../app/client.ts';
import { useMay } from '../../app/session.ts';
import { TextInput } from '../../ui/form/inputs.tsx';
import { Button, css, Dialog, Failure } from '../../ui/ui.tsx';
import { Money } from '../../ui/values.tsx';
import { words } from '../../words/words.ts';

export function SendButton({ account }: { readonly account?: string }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may(message.operations.send)) return null;
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        {words.send.title}
      </Button>
      {isOpen && <SendDialog {...(account !== undefined && { account })} onClose={() => setOpen(false)} />}
    </>
  );
}

function SendDialog({ account, onClose }: { readonly account?: string; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const empty = { account: account ?? '', sender: '', receiver: '', text: '' };
  const [draft, setDraft] = useState(empty);
  const names = ['account', 'sender', 'receiver', 'text'] as const;
  const typed = names.filter((name) => draft[name] !== empty[name]).length;
  const set = (name: keyof typeof draft) => (text: string) => setDraft({ ...draft, [name]: text });
  const sending = useChange({
    change: (key) => valueOf(callsOnce(key).message.send(draft)),
    onSuccess: ({ msgId }) => void navigate({ to: '/messages/$id', params: { id: String(msgId) } }),
  });
  const error = sending.error instanceof CallFailed ? sending.error : undefined;
  const errorOf = (name: string) => (error?.field === name ? error.message : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    sending.start();
  };
  return (
    <Dialog title={words.send.title} changes={typed} onClose={onClose}>
      <form className={css['stack']} onSubmit={submit}>
        {account === undefined && (
          <TextInput
            label={words.send.account}
            text={draft.account}
            onText={set('account')}
            of="account"
            error={errorOf('account')}
          />
        )}
        <div className={css['formRow']}>
          <TextInput label={words.send.sender} text={draft.sender} onText={set('sender')} error={errorOf('sender')} />
          <TextInput
            label={words.send.receiver}
            text={draft.receiver}
            onText={set('receiver')}
            error={errorOf('receiver')}
            hint={words.send.receiverHint}
          />
        </div>
        <TextInput label={words.send.text} text={draft.text} onText={set('text')} rows={5} error={errorOf('text')} />
        <Counter draft={draft} />
        {error && errorOf(error.field ?? '') === undefined && <Failure error={error} isChange />}
        <div className={css['row']}>
          <Button type="submit" kind="primary" disabled={sending.isPending}>
            {words.send.title}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

type Draft = Readonly<Record<'account' | 'sender' | 'receiver' | 'text', string>>;

/** The most characters outside the GSM alphabet that are named. */
const outsideMax = 10;

function Counter({ draft }: { readonly draft: Draft }) {
  const settled = useDeferredValue(draft);
  const isWhole = Object.values(settled).every((each) => each !== '');
  const quote = useQuery({
    queryKey: ['quote', settled],
    queryFn: () => valueOf(calls.message.quote(settled)),
    enabled: isWhole,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const counted = countParts(draft.text, 'SMS');
  const outside = new Set(listOutside(draft.text, outsideMax).characters.map(({ character }) => character));
  return (
    <output className={css['note']}>
      <div>
        {counted.ok
          ? words.send.count(counted.encoding === 'gsm7' ? 'GSM' : 'UCS', counted.numParts, draft.text.length)
          : words.send.empty}
      </div>
      {outside.size > 0 && <div>{words.send.outside([...outside].map(printable).join(' '))}</div>}
      {isWhole && quote.data && (
        <div>
          <Money amount={quote.data.totalCost} currency={quote.data.clientCurrency} />
          {' – '}
          {words.send.goes((quote.data.carriers ?? []).join(', '))}
        </div>
      )}
      {isWhole && quote.error && <div className={css['error']}>{quote.error.message}</div>}
    </output>
  );
}

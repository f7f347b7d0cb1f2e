/* An edit of a route as a change set of one route: nothing changes before its effect was seen. */

import { route } from '@morsel/api/admin/routing/route.ts';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useChange } from '../../app/change.ts';
import { callsOnce, valueOf } from '../../app/client.ts';
import { useMay } from '../../app/session.ts';
import { useOpenDialog } from '../../ui/dialog-host.tsx';
import { FieldInput } from '../../ui/form/inputs.tsx';
import { nameIn, type Row } from '../../ui/list/rows.tsx';
import { Button, css, Dialog, Failure } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';

const { input } = route.operations.set;
const settings = ['rank', 'weight', 'cost', 'after'] as const;

interface TryProps {
  /** The fields that select the route: its match and its carrier. */
  readonly match: Row;
  readonly row: Row;
}

export function TryChange(props: TryProps) {
  const open = useOpenDialog();
  const may = useMay();
  if (!may(route.operations.set)) return null;
  return (
    <Button onClick={() => open((close) => <Form {...props} onClose={close} />)}>{words.changeSets.tryChange}</Button>
  );
}

function Form({ match, row, onClose }: TryProps & { readonly onClose: () => void }) {
  const goTo = useNavigate();
  const start = Object.fromEntries(settings.map((each) => [each, row[each] === null ? 'none' : nameIn(row, each)]));
  const [texts, setTexts] = useState<{ readonly [name: string]: string }>({ ...start, newCarrier: '' });
  const typed = Object.keys(texts).filter((name) => texts[name] !== (start[name] ?? ''));
  const sending = useChange({
    change: (key) => valueOf(callsOnce(key).changeSet.add({ changeSet: nameOf(match), config: draftOf(match, texts) })),
    onSuccess: ({ changeSet: name }) => {
      onClose();
      void goTo({ to: '/routes/change-sets/$name', params: { name } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    sending.start();
  };
  return (
    <Dialog title={words.changeSets.tryChange} changes={typed.length} onClose={onClose}>
      <form className={css['stack']} onSubmit={submit} noValidate>
        <p>{words.changeSets.tryAbout}</p>
        {(['newCarrier', ...settings] as const).map((name) => (
          <FieldInput
            key={name}
            name={name}
            field={input[name]}
            text={texts[name] ?? ''}
            error={undefined}
            onText={(text) => setTexts({ ...texts, [name]: text })}
          />
        ))}
        {sending.error && <Failure error={sending.error} isChange />}
        <div className={css['row']}>
          <Button type="submit" kind="primary" disabled={sending.isPending}>
            {words.changeSets.seeEffect}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The document of the draft: the settings of the route's carrier, or a new carrier in its place. */
function draftOf(match: Row, { newCarrier = '', ...texts }: Readonly<Record<string, string>>): string {
  const given = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text === 'none' ? null : text]));
  const isReplaced = newCarrier !== '' && newCarrier !== match['carrier'];
  const routes = isReplaced
    ? [
        { ...match, ...given, carrier: newCarrier },
        { ...match, remove: true },
      ]
    : [{ ...match, ...given }];
  return JSON.stringify({ routes });
}

const secondOf = 19;

/** A name that says which route it is about, and when the draft was made. */
function nameOf({ prefix }: Row): string {
  const time = new Date().toISOString().slice(0, secondOf).replaceAll(/\D/g, '');
  return `route-${String(prefix) === '' ? 'all' : String(prefix)}-${time}`;
}

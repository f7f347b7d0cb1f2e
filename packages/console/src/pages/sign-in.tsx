/* The sign-in: with a password and perhaps a one-time code, or with a link that sets the password. */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useTexts } from '../app/search.ts';
import { CallFailed } from '../app/client.ts';
import { signIn } from '../app/session.ts';
import { TextInput } from '../ui/form/inputs.tsx';
import { Button, css, Dialog, Failure, Note } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import own from './sign-in.module.css';

const unauthorized = 401;

/** The page of the sign-in. */
export function SignIn() {
  // The secret of the link is after the hash of the URL, so that no server and no log gets it.
  const [link] = useState(() => location.hash.slice(1));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { next = '/' } = useTexts();
  const go = async () => {
    queries.clear();
    await navigate({ to: next.startsWith('/') && !next.startsWith('//') ? next : '/', replace: true });
  };
  document.title = `${words.signIn.title} – Morsel`;
  return (
    <main className={own['page']}>
      <div className={own['box']}>
        <img src="/morsel.svg" width="44" height="44" alt="" />
        <h1>{link === '' ? words.signIn.title : words.signIn.first}</h1>
        {link !== '' && <p className={css['soft']}>{words.signIn.firstAbout}</p>}
        <SignInForm link={link} onDone={go} />
      </div>
    </main>
  );
}

/** Asks for the password above the page after the session has ended, so that typed text is kept. */
export function SignInAgain({ operator }: { readonly operator: string }) {
  const queries = useQueryClient();
  return (
    <Dialog title={words.signIn.again}>
      <p>{words.signIn.againAbout(operator)}</p>
      <SignInForm operator={operator} onDone={() => queries.invalidateQueries()} />
      <Button kind="quiet" onClick={() => location.assign('/sign-in')}>
        {words.signIn.other}
      </Button>
    </Dialog>
  );
}

interface FormProps {
  readonly link?: string;
  /** The operator who signs in, if the page knows. */
  readonly operator?: string;
  readonly onDone: () => Promise<void>;
}

function SignInForm({ link = '', operator: known = '', onDone }: FormProps) {
  const [operator, setOperator] = useState(known);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const going = useMutation({
    mutationFn: () =>
      link === ''
        ? signIn('sign-in', { operator, password, ...(code !== '' && { code }) })
        : signIn('link', { link, password, ...(operator !== '' && { operator }) }),
    onSuccess: onDone,
  });
  const error = going.error instanceof CallFailed ? going.error : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    going.mutate();
  };
  return (
    <form className={css['stack']} onSubmit={submit}>
      {known === '' && (
        <TextInput
          label={words.signIn.operator}
          text={operator}
          onText={setOperator}
          autoComplete="username"
          hasFocus
          error={error?.field === 'operator' ? error.message : undefined}
          hint={link === '' ? '' : words.signIn.operatorHint}
        />
      )}
      <TextInput
        label={link === '' ? words.signIn.password : words.signIn.newPassword}
        text={password}
        onText={setPassword}
        isSecret
        hasFocus={known !== ''}
        autoComplete={link === '' ? 'current-password' : 'new-password'}
        error={error?.field === 'password' ? error.message : undefined}
        hint={link === '' ? '' : words.signIn.passwordHint}
      />
      {link === '' && (
        <TextInput
          label={words.signIn.code}
          text={code}
          onText={setCode}
          autoComplete="one-time-code"
          hint={words.signIn.codeHint}
          error={error?.field === 'code' ? error.message : undefined}
        />
      )}
      {error?.status === unauthorized && <Note tone="bad">{link === '' ? words.signIn.wrong : words.signIn.over}</Note>}
      {error && error.status !== unauthorized && error.field === undefined && <Failure error={error} />}
      <Button type="submit" kind="primary" disabled={going.isPending}>
        {words.signIn.title}
      </Button>
      {!isSecureContext && <Note tone="bad">{words.signIn.insecure}</Note>}
      {known === '' && (link === '' || error?.status === unauthorized) && (
        <p className={css['hint']}>
          {words.signIn.wayOut} <code>morsel operator add NAME --role owner</code>{' '}
          <code>morsel operator sign-in-link NAME</code>
        </p>
      )}
    </form>
  );
}

/* Building blocks of every page. */

import { Link, useBlocker } from '@tanstack/react-router';
import { use, useEffect, useId, useRef, useState, type ButtonHTMLAttributes, type ReactNode } from 'react';
import { words } from '../words/words.ts';
import { CallFailed } from '../app/client.ts';
import { KnownContext } from '../app/live.ts';
import { Icon } from './icons.tsx';
import css from './ui.module.css';

export { css };

export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'danger' | 'quiet' | 'icon';
}

export function Button({ kind, className, type = 'button', ...rest }: ButtonProps) {
  const look = kind === 'icon' ? classes(css['quiet'], css['icon']) : kind && css[kind];
  // oxlint-disable-next-line react/button-has-type -- the type has a default above
  return <button type={type} className={classes(css['button'], look, className)} {...rest} />;
}

interface CardProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

export function Card({ title, actions, isFlush = false, children }: CardProps) {
  return (
    <section className={css['card']}>
      {title !== undefined && (
        <header className={css['cardHead']}>
          {title === '' ? <span /> : <h2>{title}</h2>}
          {actions !== undefined && <div className={css['row']}>{actions}</div>}
        </header>
      )}
      <div className={isFlush ? undefined : css['cardBody']}>{children}</div>
    </section>
  );
}

export function Note({ tone, children }: { readonly tone?: 'good' | 'bad'; readonly children: ReactNode }) {
  const look = tone === 'bad' ? css['noteBad'] : tone === 'good' && css['noteGood'];
  return (
    <div className={classes(css['note'], look)} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

interface FailureProps {
  readonly error: unknown;
  /** Whether the failed request was a change with an idempotency key, which the gateway may have made all the same. */
  readonly isChange?: boolean;
}

export function Failure({ error, isChange = false }: FailureProps) {
  if (!(error instanceof CallFailed)) return <Note tone="bad">{words.broken}</Note>;
  if (error.code === 'idempotency_conflict') return <Note tone="bad">{words.triedBefore}</Note>;
  if (error.status !== 0) return <Note tone="bad">{error.message}</Note>;
  return <Note tone="bad">{isChange ? words.lost(error.message) : words.unreachable(error.message)}</Note>;
}

export function Loading() {
  return <div className={css['empty']}>{words.loading}</div>;
}

interface EmptyProps {
  /** The next step, as a button or a link. */
  readonly next?: ReactNode;
  /** Why it is empty. */
  readonly children: ReactNode;
}

/** What stands instead of an empty list. */
export function Empty({ children, next = <GoTo page="overview" /> }: EmptyProps) {
  return (
    <div className={css['empty']} data-empty>
      <p>{children}</p>
      {next}
    </div>
  );
}

const addresses = {
  overview: '/',
  messages: '/messages',
  carriers: '/carriers',
  accounts: '/accounts',
  settings: '/settings',
} as const;

export type NextPage = keyof typeof addresses;

export function GoTo({ page }: { readonly page: NextPage }) {
  return (
    <Link to={addresses[page]} className={css['button']}>
      {words.goTo(words.pages[page])}
    </Link>
  );
}

interface FigureProps {
  readonly label: ReactNode;
  readonly isBad?: boolean;
  readonly children: ReactNode;
}

/** One figure of a list of figures (`figures`), in large letters; a dash if the gateway gives no figures. */
export function Figure({ label, isBad = false, children }: FigureProps) {
  return (
    <div className={css['figure']}>
      <dt>{label}</dt>
      <dd className={isBad ? css['isBad'] : undefined}>{use(KnownContext) ? children : '–'}</dd>
    </div>
  );
}

export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className={css['field']}>
      <span className={css['label']}>{label}</span>
      <div className={css['row']}>
        <code className={classes(css['code'], css['grow'])}>{text}</code>
        <Button onClick={() => void copy()}>{isCopied ? words.copied : words.copy}</Button>
      </div>
    </div>
  );
}

interface DialogProps {
  readonly title: string;
  /** The number of changes that the viewer typed. They are lost only after a question. */
  readonly changes?: number;
  /** Without it, the dialog stays until the page removes it. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

/** A dialog of the browser: it holds the focus, and Escape closes it. */
export function Dialog({ title, changes = 0, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { question, leave } = useGuard(changes, onClose ?? nothing);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The browser gives the focus back only if the dialog is closed before it goes.
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const close = () => {
    if (onClose) leave(() => dialog.current?.close());
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape belongs to the dialog
    <dialog
      ref={dialog}
      className={css['dialog']}
      aria-labelledby={id}
      onClose={(event) => {
        // In React, this event of a question inside the dialog also comes here.
        if (event.target === event.currentTarget) onClose?.();
      }}
      onCancel={(event) => {
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // The browser closes a dialog at a second Escape even if `cancel` is prevented, so the key itself is.
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <div className={css['row']}>
        <h2 id={id} className={css['grow']}>
          {title}
        </h2>
        {onClose && (
          <Button kind="icon" aria-label={words.close} onClick={close}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      {children}
      {question}
    </dialog>
  );
}

function nothing(): void {}

/**
 * Asks before typed text is lost, when the viewer leaves the page or calls `leave`. A form in a dialog has `onLeave`,
 * which closes it: only Back and Forward leave the page then, and other moves follow from what the form did.
 */
export function useGuard(changes: number, onLeave?: () => void) {
  const [discard, setDiscard] = useState<() => void>();
  const left = useBlocker({
    shouldBlockFn: ({ action }) => changes > 0 && !(onLeave && (action === 'PUSH' || action === 'REPLACE')),
    enableBeforeUnload: () => changes > 0,
    withResolver: true,
  });
  const isLeft = left.status === 'blocked';
  const keep = () => {
    setDiscard(undefined);
    if (isLeft) left.reset();
  };
  const lose = () => {
    setDiscard(undefined);
    if (isLeft) left.proceed();
    (discard ?? onLeave)?.();
  };
  const question = (discard !== undefined || isLeft) && (
    <Dialog title={words.discard.question(changes)} onClose={keep}>
      <div className={css['row']}>
        <Button kind="primary" onClick={keep}>
          {words.discard.keep}
        </Button>
        <Button kind="danger" onClick={lose}>
          {words.discard.lose}
        </Button>
      </div>
    </Dialog>
  );
  const leave = (go: () => void) => (changes > 0 ? setDiscard(() => go) : go());
  return { question, leave };
}

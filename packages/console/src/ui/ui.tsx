/* Building blocks of every page. */

import { useEffect, useId, useRef, useState, type ButtonHTMLAttributes, type ReactNode } from 'react';
import { words } from '../words/words.ts';
import { CallFailed } from '../app/client.ts';
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

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className={css['empty']}>{children}</div>;
}

interface FigureProps {
  readonly label: ReactNode;
  readonly isBad?: boolean;
  readonly children: ReactNode;
}

/** One figure of a list of figures (`figures`), in large letters. */
export function Figure({ label, isBad = false, children }: FigureProps) {
  return (
    <div className={css['figure']}>
      <dt>{label}</dt>
      <dd className={isBad ? css['isBad'] : undefined}>{children}</dd>
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
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog of the browser: it holds the focus, and Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={css['dialog']} aria-labelledby={id} onClose={onClose}>
      <div className={css['row']}>
        <h2 id={id} className={css['grow']}>
          {title}
        </h2>
        <Button kind="icon" aria-label={words.close} onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </Button>
      </div>
      {children}
    </dialog>
  );
}

import { useEffect, type ReactNode } from 'react';
import css from './head.module.css';

interface HeadProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
}

/** The head of a page. Its title is also that of the browser's tab. */
export function Head({ title, about, actions }: HeadProps) {
  useEffect(() => {
    document.title = `${title} – Morsel`;
  }, [title]);
  return (
    <div className={css['head']}>
      <div>
        <h1>{title}</h1>
        {about !== undefined && <p className={css['about']}>{about}</p>}
      </div>
      {actions !== undefined && <div className={css['actions']}>{actions}</div>}
    </div>
  );
}

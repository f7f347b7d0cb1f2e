import { useEffect, useRef, type ReactNode } from 'react';
import { useCritical } from '../../app/live.ts';
import css from './head.module.css';

interface HeadProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
}

/**
 * The head of a page. Its title is also that of the browser's tab, after the number of open critical alarms. It gets the
 * focus when the viewer comes to the page (WCAG 2.2, 2.4.3), unless the viewer types already.
 */
export function Head({ title, about, actions }: HeadProps) {
  const critical = useCritical() ?? 0;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!(document.activeElement instanceof HTMLInputElement)) heading.current?.focus();
  }, []);
  useEffect(() => {
    document.title = `${critical > 0 ? `(${critical}) ` : ''}${title} – Morsel`;
  }, [critical, title]);
  return (
    <div className={css['head']}>
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {about !== undefined && <p className={css['about']}>{about}</p>}
      </div>
      {actions !== undefined && <div className={css['actions']}>{actions}</div>}
    </div>
  );
}

import { messageFields } from '@morsel/api/admin/message/message-fields.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import { css } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';
import own from './message.module.css';

interface MessageTextProps {
  readonly text?: string | null | undefined;
  readonly data?: Uint8Array | null | undefined;
  readonly erased: boolean;
}

/** The text of a message, its octets if it is not text, or why neither is shown. */
export function MessageText({ text, data, erased }: MessageTextProps) {
  if (erased) return <span className={css['soft']}>{words.message.erased}</span>;
  if (data !== null && data !== undefined) {
    return <code className={css['code']}>{messageFields.data.cell(data)}</code>;
  }
  if (text === null || text === undefined) return <span className={css['soft']}>{words.message.hidden}</span>;
  return (
    <p className={own['text']} dir="auto">
      {printable(text)}
    </p>
  );
}

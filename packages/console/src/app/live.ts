/* The figures of the moment, an event a second from the gateway. */

import { adminBase } from '@morsel/api/admin/client.ts';
import { fromJson } from '@morsel/api/admin/field.ts';
import { readJson } from '@morsel/api/admin/exact-json.ts';
import { traffic } from '@morsel/api/admin/running/traffic.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { useEffect, useState } from 'react';

const { now } = traffic.operations;

export type Figures = AnswerOf<typeof now>;

/** Two minutes. */
const figuresKept = 120;

/** The newest figures last. They stop while the page is hidden. */
export function useFigures(): readonly Figures[] {
  const [figures, setFigures] = useState<readonly Figures[]>([]);
  useEffect(() => {
    let source: EventSource | undefined;
    const open = () => {
      source?.close();
      source = document.hidden ? undefined : new EventSource(`${adminBase}${now.path}`);
      source?.addEventListener('message', ({ data }) => {
        const each = fromJson(now.answer, readJson(String(data)));
        setFigures((before) => [...before.slice(1 - figuresKept), each]);
      });
    };
    open();
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      source?.close();
    };
  }, []);
  return figures;
}

const rateMs = 5_000;

type Sum = 'messages' | 'parts' | 'refused' | 'sent' | 'bounced' | 'delivered' | 'failed' | 'inbound';

/** How many a second, over the last seconds before each of the figures. A gateway that started again counts from 0. */
export function rateAt(figures: readonly Figures[], index: number, name: Sum): number {
  const newest = figures[index];
  const oldest = figures.slice(0, index).find(({ at }) => newest !== undefined && newest.at - at <= rateMs);
  if (!newest || !oldest || newest.at === oldest.at) return 0;
  return Math.max(0, ((newest[name] - oldest[name]) * 1_000) / (newest.at - oldest.at));
}

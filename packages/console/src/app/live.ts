/* The live figures of the gateway, which sends an event a second. */

import { adminBase } from '@morsel/api/admin/client.ts';
import { fromJson } from '@morsel/api/fields/field.ts';
import { readJson } from '@morsel/api/fields/exact-json.ts';
import { traffic } from '@morsel/api/admin/running/traffic.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { createContext, use, useEffect, useState } from 'react';
import { calls } from './client.ts';
import { useAskSession } from './session.ts';

const { now } = traffic.operations;

export type Figures = AnswerOf<typeof now>;

/** Figures of two minutes are kept, one a second. */
const figuresKept = 120;

export interface Live {
  /** The figures, the newest last. */
  readonly figures: readonly Figures[];
  /** When the newest figures came, or the page was opened, in the time of `performance.now()`. */
  readonly gotMs: number;
}

export const LiveContext = createContext<Live>({ figures: [], gotMs: 0 });

/** Without a stream, the time between two requests for figures, and between two attempts to get a stream. */
const [pollMs, streamMs] = [1_000, 30_000];

/**
 * One stream for everything that a tab shows; none while the tab is hidden. An operator may have only a few streams, so
 * a tab that gets none polls. When a stream ends, the session may have ended, so the session is checked at once.
 */
export function useFigures(): Live {
  const [live, setLive] = useState<Live>(() => ({ figures: [], gotMs: performance.now() }));
  const askSession = useAskSession();
  useEffect(() => {
    let [source, timer]: [EventSource | undefined, ReturnType<typeof setTimeout> | undefined] = [undefined, undefined];
    let streamAtMs = 0;
    const take = (each: Figures) =>
      setLive(({ figures }) => ({ figures: [...figures.slice(1 - figuresKept), each], gotMs: performance.now() }));
    const close = () => {
      source?.close();
      source = undefined;
      clearTimeout(timer);
    };
    const open = () => {
      close();
      if (document.hidden) return;
      streamAtMs = performance.now();
      source = new EventSource(`${adminBase}${now.path}`);
      source.addEventListener('message', ({ data }) => take(fromJson(now.answer, readJson(String(data)))));
      source.addEventListener('error', () => {
        askSession();
        // If the stream is not closed, the browser opens it again by itself.
        if (source?.readyState === EventSource.CLOSED) void poll();
      });
    };
    const poll = async () => {
      if (performance.now() - streamAtMs > streamMs) return open();
      const polled = source;
      const answer = await calls.traffic.now();
      if (source !== polled) return;
      if (answer.ok) take(answer.value);
      else askSession();
      timer = setTimeout(() => void poll(), pollMs);
    };
    open();
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      close();
    };
  }, [askSession]);
  return live;
}

const rateMs = 5_000;

type Sum = 'messages' | 'parts' | 'refused' | 'sent' | 'bounced' | 'delivered' | 'failed' | 'inbound';

/**
 * The rate of a count at one of the figures, over the seconds before it. After a restart the gateway counts from 0, so
 * the rate is at least 0.
 */
export function rateAt(figures: readonly Figures[], index: number, name: Sum): number {
  const newest = figures[index];
  const oldest = figures.slice(0, index).find(({ at }) => newest !== undefined && newest.at - at <= rateMs);
  if (!newest || !oldest || newest.at === oldest.at) return 0;
  return Math.max(0, ((newest[name] - oldest[name]) * 1_000) / (newest.at - oldest.at));
}

/** Figures older than this are shown as old. */
export const staleMs = 3_000;

/** Figures older than this are not shown. */
export const unknownMs = 60_000;

/** Whether figures of the gateway are young enough to be shown. If not, pages show dashes instead of figures. */
export const KnownContext = createContext(true);

/** The number of open critical alarms, if it is known. */
export function useCritical(): number | undefined {
  const { figures, gotMs } = use(LiveContext);
  return useAge(gotMs) > unknownMs ? undefined : figures.at(-1)?.criticalAlarms;
}

const tickMs = 500;

/** A time of `performance.now()`. */
export function useAge(gotMs: number): number {
  const [nowMs, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, nowMs - gotMs);
}

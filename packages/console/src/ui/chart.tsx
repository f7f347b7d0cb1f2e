/* Lines over time, drawn by uPlot on a canvas. A table for a screen reader has the newest values. */

import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { locale, localTime } from '../app/format.ts';
import css from './chart.module.css';

type LineTone = 'accent' | 'good' | 'warn' | 'bad';

interface ChartProps {
  readonly label: string;
  /** The begin of the chart, in milliseconds since 1970, as the times are. */
  readonly from: number;
  readonly to: number;
  readonly times: readonly number[];
  readonly lines: readonly { readonly label: string; readonly tone: LineTone; readonly values: readonly number[] }[];
  readonly height?: number;
}

const secondMs = 1_000;

function count(value: number): string {
  return value.toLocaleString(locale, { maximumFractionDigits: 1 });
}

export function Chart({ label, from, to, times, lines, height = 220 }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const names = lines.map((each) => `${each.tone} ${each.label}`).join();
  const data: uPlot.AlignedData = [times.map((at) => at / secondMs), ...lines.map(({ values }) => [...values])];
  const newest = useRef(data);
  const period = useRef({ from, to });
  newest.current = data;
  period.current = { from, to };
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const colour = (name: string) => getComputedStyle(box).getPropertyValue(`--${name}`);
    const make = () => {
      chart.current?.destroy();
      const axis = { stroke: colour('text-soft'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
      const made = new uPlot(
        {
          width: box.clientWidth,
          height,
          series: [
            { value: (_chart, at) => localTime((at ?? newest.current[0].at(-1) ?? 0) * secondMs) },
            ...lines.map((each) => ({
              label: each.label,
              // The newest value, unless the viewer points at another time.
              value: (_chart: uPlot, value: number | null, line: number) =>
                count(value ?? newest.current[line]?.at(-1) ?? 0),
              stroke: colour(each.tone),
              width: 2,
              points: { show: false },
            })),
          ],
          axes: [
            {
              ...axis,
              size: 28,
              space: 90,
              values: (_chart, splits) => splits.map((at) => tickText(at * secondMs, period.current)),
            },
            axis,
          ],
          scales: {
            x: { range: () => [period.current.from / secondMs, period.current.to / secondMs] },
            y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.1)] },
          },
        },
        newest.current,
        box,
      );
      chart.current = made;
    };
    make();
    const resized = new ResizeObserver(() => chart.current?.setSize({ width: box.clientWidth, height }));
    resized.observe(box);
    const themed = new MutationObserver(make);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- new values do not make a new chart
  }, [names, height]);
  useEffect(() => chart.current?.setData(data));
  const last = lines.map((each) => `${each.label}: ${each.values.at(-1) ?? 0}`).join(', ');
  return <div ref={place} className={css['chart']} role="img" aria-label={`${label}. ${last}`} />;
}

const [minuteMs, dayMs] = [60_000, 86_400_000];

/** The text of a time on the axis: with seconds in a short period, with the day in a long period. */
function tickText(at: number, { from, to }: { readonly from: number; readonly to: number }): string {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  if (to - from <= 10 * minuteMs) return new Date(at).toLocaleTimeString(locale, { ...time, second: '2-digit' });
  if (to - from <= 2 * dayMs) return new Date(at).toLocaleTimeString(locale, time);
  return new Date(at).toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  });
}

/** All slots of a period, oldest first. A slot without a row is empty. */
export function everySlot<S extends { readonly at: number }>(
  rows: readonly S[],
  { from, to, stepMs }: { readonly from: number; readonly to: number; readonly stepMs: number },
  empty: Omit<NoInfer<S>, 'at'> | object,
): readonly S[] {
  const known = new Map(rows.map((each) => [each.at, each]));
  const first = Math.ceil(from / stepMs) * stepMs;
  const times = Array.from(
    { length: Math.max(0, Math.ceil((to - first) / stepMs)) },
    (_, index) => first + index * stepMs,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `empty` has what the chart shows
  return times.map((at) => known.get(at) ?? ({ ...empty, at } as unknown as S));
}

/* Lines over time, drawn by uPlot on a canvas. A table for a screen reader has the newest values. */

import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { locale, localTime, viewer } from '../app/format.ts';
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

function count(value: number, maximumFractionDigits = 1): string {
  return value.toLocaleString(locale, { maximumFractionDigits });
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
      const soft = { stroke: colour('text-soft'), font: axisFont, ticks: { show: false } };
      const axis = { ...soft, grid: { stroke: colour('line'), width: 1 } };
      const made = new uPlot(
        {
          width: box.clientWidth,
          height,
          tzDate: (at) => uPlot.tzDate(new Date(at * secondMs), viewer.zone),
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
              incrs: () => (period.current.to - period.current.from > dayMs ? dayIncrements : shortIncrements),
              values: (_chart, splits, _axis, _space, step) => splits.map((at) => tickText(at * secondMs, step)),
            },
            {
              ...axis,
              size: ({ ctx }, texts) => widest(ctx, texts ?? []) + axisGap,
              values: (_chart, splits) => splits.map(compactText),
            },
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

const [minute, hour, day] = [60, 3_600, 86_400];
const dayMs = day * secondMs;

/** The steps between labels of times, in seconds. With the day alone in a label, each label is of another day. */
const shortIncrements = [
  1,
  5,
  10,
  30,
  ...[1, 5, 10, 30].map((each) => each * minute),
  ...[1, 2, 3, 6, 12].map((each) => each * hour),
];
const dayIncrements = [1, 2, 3, 5, 7, 10, 15, 30, 60].map((each) => each * day);

/** The text of a time on the axis: the day if labels are days apart, and seconds if they are seconds apart. */
function tickText(at: number, step: number): string {
  if (step >= day)
    return new Date(at).toLocaleDateString(locale, { timeZone: viewer.zone, day: 'numeric', month: 'short' });
  const seconds = step < minute ? ({ second: '2-digit' } as const) : {};
  return new Date(at).toLocaleTimeString(locale, {
    timeZone: viewer.zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...seconds,
  });
}

const axisFont = '12px system-ui, sans-serif';
/** The room between the labels of the left axis and the chart. */
const axisGap = 12;

/** The width of the widest text, in pixels of the page. */
function widest(canvas: CanvasRenderingContext2D, texts: readonly string[]): number {
  canvas.save();
  canvas.font = axisFont;
  const widths = texts.map((text) => canvas.measureText(text).width);
  canvas.restore();
  return Math.ceil(Math.max(0, ...widths));
}

const [thousand, million] = [1_000, 1_000_000];

/** A count in three digits or so: 250 k, 1.25 M. */
function compactText(value: number): string {
  if (value >= million) return `${count(value / million, 2)} M`;
  return value >= thousand ? `${count(value / thousand, 2)} k` : count(value, 2);
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

/* Declares a metric: its name, its help, and the function that reads its samples at a scrape. */

import type { HistogramCount } from '../../core/base/histogram.ts';
import type { Frame } from './frame.ts';

export interface Labels {
  readonly [label: string]: string;
}

export type Sample<Value> = readonly [labels: Labels, value: Value];

interface DeclaredNumber {
  readonly type: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (frame: Frame) => readonly Sample<number>[];
}

export interface DeclaredHistogram {
  readonly type: 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (frame: Frame) => readonly Sample<HistogramCount>[];
}

export type DeclaredMetric = DeclaredNumber | DeclaredHistogram;

type Named = Pick<DeclaredMetric, 'name' | 'help' | 'labels'>;

/** Declares a metric with labels, which may have several samples. The values of samples with equal labels are added. */
export function many(type: DeclaredNumber['type'], named: Named, read: DeclaredNumber['read']): DeclaredNumber {
  return { type, ...named, read };
}

/** Declares a metric without labels. If `read` returns undefined, this scrape leaves out the metric. */
export function one(
  type: DeclaredNumber['type'],
  name: string,
  { help, read }: { readonly help: string; readonly read: (frame: Frame) => number | undefined },
): DeclaredNumber {
  const samples = (frame: Frame): readonly Sample<number>[] => {
    const value = read(frame);
    return value === undefined ? [] : [[{}, value]];
  };
  return { type, name, help, labels: [], read: samples };
}

export function histogram(named: Named, read: DeclaredHistogram['read']): DeclaredHistogram {
  return { type: 'histogram', ...named, read };
}

/* Declares metrics: the help and the labels of each name, and the function that reads its samples at a scrape. */

import type { HistogramCount } from '../../core/base/histogram.ts';
import type { Frame } from './frame.ts';

export interface Labels {
  readonly [label: string]: string;
}

export type Sample<Value> = readonly [labels: Labels, value: Value];

interface Declared<Value> {
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (frame: Frame) => readonly Sample<Value>[];
}

export type DeclaredNumber = Declared<number> & { readonly isHistogram: false };
export type DeclaredHistogram = Declared<HistogramCount> & { readonly isHistogram: true };

/** Metrics by their names. A number whose name ends with `_total` is a counter, and any other number a gauge. */
export interface DeclaredMetrics {
  readonly [name: string]: DeclaredNumber | DeclaredHistogram;
}

/** Declares a metric with labels, which may have several samples. The values of samples with equal labels are added. */
export function many(help: string, labels: readonly string[], read: DeclaredNumber['read']): DeclaredNumber {
  return { help, labels, read, isHistogram: false };
}

/** Declares a metric without labels. If `read` returns undefined, this scrape leaves out the metric. */
export function one(help: string, read: (frame: Frame) => number | undefined): DeclaredNumber {
  return many(help, [], (frame) => {
    const value = read(frame);
    return value === undefined ? [] : [[{}, value]];
  });
}

export function histogram(help: string, labels: readonly string[], read: DeclaredHistogram['read']): DeclaredHistogram {
  return { help, labels, read, isHistogram: true };
}

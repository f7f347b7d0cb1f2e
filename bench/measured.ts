export interface RoundSettings {
  readonly seconds: number;
  readonly connections: number;
  /** Most requests a second; 0 for no limit. */
  readonly rate: number;
}

/** Each round starts with load that is not measured, because code is compiled and caches fill meanwhile. */
export const warmUpSeconds = 3;

/** The figures of one round. */
export interface Measured {
  readonly acceptedPerSecond: number;
  /** Messages with an acknowledged receipt, a second between the first submit_sm and the last acknowledgement. */
  readonly endToEndPerSecond: number;
  /** The time until an answer: the median, and 99 of 100. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly messages: number;
  /** Morsel's own figures. */
  readonly own?: OwnFigures;
  /** Counts that differ, as sentences. */
  readonly faults: readonly string[];
}

interface OwnFigures {
  readonly fsyncsPerSecond: number;
  readonly peakResidentBytes: number;
  /** User and system time of the whole process. */
  readonly cpuMicrosecondsPerMessage: number;
  /** The same of PostgreSQL's processes. */
  readonly databaseMicrosecondsPerMessage?: number;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Rounds on a shared machine differ. The median is the figure, and minimum and maximum say how far to trust it. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const lower = sorted.length % 2 === 0 ? (sorted[middle - 1] ?? Number.NaN) : upper;
  return { median: (lower + upper) / 2, low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN };
}

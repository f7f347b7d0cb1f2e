export interface RoundSettings {
  readonly seconds: number;
  readonly connections: number;
  /** Most requests a second; 0 for no limit. */
  readonly rate: number;
}

/** Each round starts with this load, which is not measured: code is compiled and caches fill. */
export const warmUpSeconds = 3;

/** The figures of one round. */
export interface Measured {
  readonly acceptedPerSecond: number;
  /** Messages with an acknowledged receipt, over the time from the first submit_sm to the last acknowledgement. */
  readonly endToEndPerSecond: number;
  /** Latency of answers. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly messages: number;
  /** Morsel's own figures. */
  readonly own?: OwnFigures;
  /** Mismatches, as sentences. */
  readonly faults: readonly string[];
}

interface OwnFigures {
  readonly fsyncsPerSecond: number;
  readonly peakResidentBytes: number;
  /** User and system time of the whole process. */
  readonly cpuMicrosecondsPerMessage: number;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** A shared machine is noisy: the median is the figure, and the ends say how far to trust it. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const lower = sorted.length % 2 === 0 ? (sorted[middle - 1] ?? Number.NaN) : upper;
  return { median: (lower + upper) / 2, low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN };
}

export interface RoundSettings {
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second at most; 0 for as many as are answered. */
  readonly rate: number;
}

/** Every round begins with so much load that is not measured: programs are compiled as they run, caches fill. */
export const warmUpSeconds = 3;

/** The figures of one round. */
export interface Measured {
  readonly acceptedPerSecond: number;
  /** Messages whose receipt was acknowledged, over the time from the first submit_sm to the last acknowledgement. */
  readonly endToEndPerSecond: number;
  /** Of the answer to a request. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly messages: number;
  /** What Morsel tells of itself. */
  readonly own?: OwnFigures;
  /** What does not add up, as sentences. */
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

/** The machine is never as quiet as one would like: the median is the figure, the ends say how far to trust it. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const lower = sorted.length % 2 === 0 ? (sorted[middle - 1] ?? Number.NaN) : upper;
  return { median: (lower + upper) / 2, low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN };
}

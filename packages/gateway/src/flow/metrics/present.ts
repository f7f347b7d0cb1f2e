import type { Result } from '@morsel/api/values/result.ts';
import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { ViewAnswer } from '../../store/views/views.ts';
import type { Meters } from './meters.ts';
import type { Tools } from '../ports.ts';

/* Counts waiting work, and how fast requests are answered. All watchers share one query to the store. */

type Figures = ViewAnswer<'present'>;

const keptMs = 2 * secondMs;
const sendPath = '/sms/send';
const share = 0.99;

export class PresentFigures {
  readonly #needs;
  #kept: { readonly at: number; readonly figures: Promise<Result<Figures, Rejection>> } | undefined;
  /** Counts of requests by duration: at most one sample each second, for the last minute. */
  #samples: readonly { readonly at: number; readonly counts: readonly number[] }[] = [];

  constructor(
    needs: Pick<Tools, 'clock' | 'prices'> & {
      readonly meters: Pick<Meters, 'requests'>;
    },
  ) {
    this.#needs = needs;
  }

  read(): Promise<Result<Figures, Rejection>> {
    const { clock, prices } = this.#needs;
    const at = clock.monotonicMs();
    if (!this.#kept || at - this.#kept.at >= keptMs) {
      const minute = Math.floor((clock.now() - hourMs) / minuteMs) + 1;
      this.#kept = { at, figures: prices.ask('present', minute) };
    }
    return this.#kept.figures;
  }

  /** Milliseconds within which 99 % of the send requests of the last minute were answered; null without requests. */
  p99Ms(): number | null {
    const seconds = this.#needs.meters.requests.get(sendPath)?.seconds;
    if (!seconds) return null;
    const at = this.#needs.clock.monotonicMs();
    const counts = seconds.cumulative();
    const [oldest] = this.#samples;
    const before = oldest && at - oldest.at <= minuteMs ? oldest.counts : [];
    const newest = this.#samples.at(-1);
    if (!newest || at - newest.at >= secondMs) {
      this.#samples = [...this.#samples.filter((each) => at - each.at < minuteMs), { at, counts }];
    }
    const added = counts.map((count, bucket) => count - (before[bucket] ?? 0));
    const all = added.at(-1) ?? 0;
    if (all === 0) return null;
    const bucket = added.findIndex((count) => count >= all * share);
    return (seconds.bounds[bucket] ?? seconds.bounds.at(-1) ?? 0) * secondMs;
  }
}

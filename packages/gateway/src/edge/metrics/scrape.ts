/* Answers a scrape of Prometheus. The library is loaded at the first scrape, so it costs other gateways nothing. */

import type * as Prometheus from 'prom-client';
import type { HistogramCount } from '../../core/base/histogram.ts';
import { accountMetrics } from './accounts.ts';
import { carrierMetrics } from './carriers.ts';
import type { DeclaredMetrics, Sample } from './declare.ts';
import { FrameReader, type Frame, type MetricsNeeds } from './frame.ts';
import { processMetrics } from './process.ts';

interface Scraped {
  readonly contentType: string;
  readonly text: string;
}

/** All metrics of the gateway, besides those of Node itself. */
export const metrics: DeclaredMetrics = { ...processMetrics, ...carrierMetrics, ...accountMetrics };

export function typeOf(name: string, { isHistogram }: DeclaredMetrics[string]): 'histogram' | 'counter' | 'gauge' {
  if (isHistogram) return 'histogram';
  return name.endsWith('_total') ? 'counter' : 'gauge';
}

/** Gauges of the library whose names end like the name of a counter. promtool refuses them. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

const microsecondsInSecond = 1_000_000;

export class Scrapes {
  readonly #frames: FrameReader;
  #registry: Promise<Prometheus.Registry> | undefined;
  #frame: Frame | undefined;
  #underWay: Promise<Scraped> | undefined;

  constructor(needs: MetricsNeeds) {
    this.#frames = new FrameReader(needs);
  }

  /** Scrapes that arrive during another scrape get the same answer. */
  scrape(): Promise<Scraped> {
    this.#underWay ??= this.#scrape().finally(() => {
      this.#underWay = undefined;
      this.#frame = undefined;
    });
    return this.#underWay;
  }

  async #scrape(): Promise<Scraped> {
    const registry = await (this.#registry ??= open(() => this.#frame));
    this.#frame = await this.#frames.read();
    return { contentType: registry.contentType, text: await registry.metrics() };
  }
}

async function open(frame: () => Frame | undefined): Promise<Prometheus.Registry> {
  const prometheus = await import('prom-client');
  const registry = new prometheus.Registry();
  const { user, system } = process.cpuUsage();
  prometheus.collectDefaultMetrics({ register: registry });
  // The library counts CPU time only from here on, so the time before is added.
  const until = { user_: user, system_: system, '': user + system };
  for (const [name, microseconds] of Object.entries(until)) {
    const counter = registry.getSingleMetric(`process_cpu_${name}seconds_total`);
    if (counter instanceof prometheus.Counter) counter.inc(microseconds / microsecondsInSecond);
  }
  for (const name of misnamed) registry.removeSingleMetric(name);
  for (const [name, declared] of Object.entries(metrics)) {
    registry.registerMetric(metricOf(prometheus, name, { declared, frame }));
  }
  return registry;
}

function metricOf(
  prometheus: typeof Prometheus,
  name: string,
  { declared, frame }: { readonly declared: DeclaredMetrics[string]; readonly frame: () => Frame | undefined },
): Prometheus.Metric {
  const { help, labels } = declared;
  const options = { name, help, labelNames: labels, registers: [] };
  const type = typeOf(name, declared);
  if (declared.isHistogram) {
    // The registry calls this function instead of reading the library's own counts: the gateway has counted the buckets.
    const getForPromString = async () => {
      const present = frame();
      const values = (present ? declared.read(present) : []).flatMap((sample) => bucketsOf(name, sample));
      return { name, help, type, values };
    };
    return Object.assign(new prometheus.Histogram(options), { getForPromString });
  }
  const Numbers = type === 'counter' ? prometheus.Counter : prometheus.Gauge;
  return new Numbers({
    ...options,
    collect() {
      this.reset();
      // Removes the value 0, which a metric without labels would show if it has no sample.
      if (labels.length === 0) this.remove();
      const present = frame();
      for (const [labelled, value] of present ? declared.read(present) : []) this.inc(labelled, value);
    },
  });
}

function bucketsOf(name: string, [labels, count]: Sample<HistogramCount>) {
  const counts = count.cumulative();
  const buckets = counts.map((value, at) => {
    const bound = count.bounds[at];
    const le = bound === undefined ? '+Inf' : String(bound);
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: count.sum },
    { metricName: `${name}_count`, labels, value: counts.at(-1) ?? 0 },
  ];
}

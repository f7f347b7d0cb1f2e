/* Judges the pace of links: none sends more parts a second than its carrier's throughput (S2). */

import type { Submit } from '../carriers/records.ts';
import type { Seen } from './seen.ts';

/** A throughput of 0 means no limit. It may count from `from` to `until`. */
interface Limit {
  readonly throughput: number;
  readonly from: number;
  until: number;
}

const secondMs = 1_000;
/** A link uses a new throughput this long after the operator's answer, at most. */
const lateMaxMs = 2_000;

export function judgePace({ carriers, throughputs, deeds }: Seen): string[] {
  const broken: string[] = [];
  for (const { name, submits } of carriers) {
    const limits: Limit[] = [{ throughput: throughputs[name] ?? 0, from: 0, until: Infinity }];
    for (const { operation, given, at, outcome, answeredAt } of deeds) {
      const { carrier, throughput } = given;
      if (operation !== 'carrier.set' || carrier !== name || typeof throughput !== 'number') continue;
      if (outcome === 'refused') continue;
      if (answeredAt !== undefined)
        for (const limit of limits) limit.until = Math.min(limit.until, answeredAt + lateMaxMs);
      limits.push({ throughput, from: at, until: Infinity });
    }
    for (const [link, sent] of Map.groupBy(submits, (submit) => submit.link))
      broken.push(...judgeLink(`link ${link} of ${name}`, sent, limits));
  }
  return broken;
}

function judgeLink(name: string, submits: readonly Submit[], limits: readonly Limit[]): string[] {
  for (const [at, { sentAt }] of submits.entries()) {
    const from = sentAt - secondMs;
    const possible = limits.filter((limit) => limit.from <= sentAt && limit.until >= from);
    if (possible.some(({ throughput }) => throughput === 0)) continue;
    const most = Math.max(...possible.map(({ throughput }) => throughput));
    const sent = submits.slice(0, at + 1).filter((submit) => submit.sentAt > from).length;
    if (sent > most) return [`S2: ${name} sent ${sent} parts in a second, of ${most} at most`];
  }
  return [];
}

/* Prints the figures of each round, and the medians of all rounds. */

import { spreadOf } from './measured.ts';
import type { Measured, Spread } from './measured.ts';
import { mebibyte } from './usage.ts';

const whole = (value: number) => Math.round(value).toLocaleString('en');
const short = (value: number) => value.toFixed(1);

interface Row {
  readonly name: string;
  readonly figure: (measured: Measured) => number | undefined;
  readonly show: (value: number) => string;
}

const rows: readonly Row[] = [
  { name: 'accepted', figure: (each) => each.acceptedPerSecond, show: (value) => `${whole(value)} /s` },
  { name: 'end to end', figure: (each) => each.endToEndPerSecond, show: (value) => `${whole(value)} /s` },
  { name: 'answer, p50', figure: (each) => each.p50Ms, show: (value) => `${short(value)} ms` },
  { name: 'answer, p99', figure: (each) => each.p99Ms, show: (value) => `${short(value)} ms` },
  { name: 'fsyncs', figure: (each) => each.own?.fsyncsPerSecond, show: (value) => `${whole(value)} /s` },
  {
    name: 'memory, peak',
    figure: (each) => each.own?.peakResidentBytes,
    show: (value) => `${whole(value / mebibyte)} MiB`,
  },
  {
    name: 'CPU a message',
    figure: (each) => each.own?.cpuMicrosecondsPerMessage,
    show: (value) => `${whole(value)} us`,
  },
  {
    name: 'CPU, database',
    figure: (each) => each.own?.databaseMicrosecondsPerMessage,
    show: (value) => `${whole(value)} us`,
  },
];

/** One line for a finished round. */
export function describeRound(name: string, measured: Measured): string {
  const figures = rows.flatMap((row) => {
    const value = row.figure(measured);
    return value === undefined ? [] : [`${row.name} ${row.show(value)}`];
  });
  return `${name.padEnd(8)} ${figures.join('; ')}`;
}

/** The medians of the rounds of one side, and whether the counts are equal. */
export function describeRounds(name: string, rounds: readonly Measured[]): string {
  const lines = rows.flatMap((row) => {
    const values = rounds.flatMap((round) => row.figure(round) ?? []);
    if (values.length === 0) return [];
    const { median, low, high } = spreadOf(values);
    const ends = rounds.length > 1 ? `   (${row.show(low)} to ${row.show(high)})` : '';
    return [`  ${row.name.padEnd(16)}${row.show(median).padStart(12)}${ends}`];
  });
  return [`\n${name}, median of ${rounds.length}`, ...lines, ...describeCounts(rounds)].join('\n');
}

function describeCounts(rounds: readonly Measured[]): string[] {
  if (rounds.some((round) => round.faults.length > 0 || !round.own)) return [];
  const messages = rounds.reduce((sum, round) => sum + round.messages, 0);
  return [`  ${'counts'.padEnd(16)}${whole(messages)} answered = charged = submitted = delivered`];
}

export function describeRatio(what: string, { median, low, high }: Spread): string {
  return `${what}: ${median.toFixed(2)} times (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

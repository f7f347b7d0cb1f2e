import { ok, refused } from '../values/result.ts';
import { hourMs, minuteMs, secondMs } from '../values/time.ts';
import type { About, Field } from './field.ts';
import { fieldOf, typed, wholeNumber } from './fields.ts';

/* Makers of fields for durations, and how durations are typed and shown. */

/** The units of stored durations, and the words with which people type them, in milliseconds. */
const storedUnits = { ms: 1, s: secondMs, days: 24 * hourMs } as const;
const typedUnits: readonly (readonly [words: RegExp, ms: number])[] = [
  [/^ms$/, 1],
  [/^(?:s|sec|seconds?)$/, secondMs],
  [/^(?:m|min|minutes?)$/, minuteMs],
  [/^(?:h|hours?)$/, hourMs],
  [/^(?:d|days?)$/, 24 * hourMs],
];

/** A text such as `3 days`, `72h` or `1 h 30 min` in milliseconds; undefined for another text. */
function typedDuration(given: string): number | undefined {
  const parts = [...given.matchAll(/(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)\s*/gy)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== given) return undefined;
  const sum = parts.map(([, number, word = '']) => {
    const [, ms = Number.NaN] = typedUnits.find(([words]) => words.test(word)) ?? [];
    return Number(number) * ms;
  });
  return sum.reduce((all, each) => all + each);
}

/** A duration in the largest unit of which it is a multiple: `3 days`, `90 min`, `500 ms`. */
export function durationText(ms: number): string {
  const units = [
    [24 * hourMs, 'day', 'days'],
    [hourMs, 'h', 'h'],
    [minuteMs, 'min', 'min'],
    [secondMs, 's', 's'],
  ] as const;
  const [unit, one, many] = units.find(([each]) => ms !== 0 && ms % each === 0) ?? [1, 'ms', 'ms'];
  return ms === 0 ? '0 s' : `${ms / unit} ${ms === unit ? one : many}`;
}

/**
 * A duration that is stored as a number of units, and in JSON, too. A caller may type it with a unit, as in `3 days` or
 * `72h`; a number alone has the stored unit.
 */
export function durationIn(
  unit: keyof typeof storedUnits,
  { min, max, ...about }: About & { readonly min: number; readonly max: number },
): Field<number, 'must'> {
  const number = wholeNumber({ placeholder: '<duration>', ...about, unit: unit === 's' ? 'seconds' : unit, min, max });
  const ms = storedUnits[unit];
  const wants = `must be a duration from ${durationText(min * ms)} to ${durationText(max * ms)}, such as 90s, 2h or 3 days, or a whole number of ${number.about.unit}`;
  return {
    ...number,
    kind: 'duration',
    read: typed((given) => {
      const value = (typedDuration(given.trim().toLowerCase()) ?? Number.NaN) / ms;
      const read = number.read(Number.isNaN(value) ? given : String(value));
      return read.ok ? read : refused(wants);
    }),
    cell: (value) => durationText(value * ms),
  };
}

/** The limits of a duration that only answers have. */
export const anyLength = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** A duration: in JSON and on the command line a text with a unit, such as `90s`, `15m`, `24h` or `7d`. */
export function duration({ maxMs, ...about }: About & { readonly maxMs: number }): Field<number, 'must'> {
  const wants = `must be a duration such as 90s, 15m, 24h or 7 days, and at most ${durationText(maxMs)}`;
  return fieldOf<number>(about, {
    placeholder: '<duration>',
    schema: { type: 'string', pattern: '^[0-9]{1,9}[smhd]$' },
    example: '24h',
    read: typed((given) => {
      const ms = typedDuration(given.trim().toLowerCase()) ?? Number.NaN;
      return ms <= maxMs && ms % secondMs === 0 ? ok(ms) : refused(wants);
    }),
    json: (value) => `${value / secondMs}s`,
    fromJson: (json) => typedDuration(String(json)) ?? Number.NaN,
    cell: durationText,
  });
}

import { secondMs } from '@morsel/api/values/time.ts';
import { column, numberColumn, stateColumn, table, timeColumn, word } from './table.ts';
import type { Column, Row } from './table.ts';

/**
 * The links of a carrier, as `carrier show` has them at an instant; with what was refused of a carrier that sends faster than we
 * write, if that ever happened.
 */
export function linkTable(
  links: readonly Row[],
  { hasColour, now }: { readonly hasColour: boolean; readonly now: number },
): string {
  const isFlooded = links.some((link) => !['', '0'].includes(word(link, 'surplus')));
  const usual = columns(now);
  const place = usual.findIndex(({ title }) => title === 'IN DOUBT');
  const shown = isFlooded ? usual.toSpliced(place, 0, numberColumn('SURPLUS', 'surplus')) : usual;
  return table({ columns: shown, rows: links, whenEmpty: 'no link runs' }, hasColour);
}

const columns = (now: number): readonly Column[] => [
  numberColumn('LINK', 'link'),
  stateColumn('STATE', 'state'),
  timeColumn('SINCE', 'since'),
  { title: 'NEXT', of: (link: Row) => nextOf(link, now) },
  { title: 'IN FLIGHT', of: (link: Row) => `${word(link, 'windowUsed')}/${word(link, 'windowMax')}`, isNumber: true },
  { title: 'PACE', of: paceOf, isNumber: true },
  numberColumn('SUBMITTED', 'submitted'),
  numberColumn('ACCEPTED', 'accepted'),
  numberColumn('REFUSED', 'refused'),
  numberColumn('THROTTLES', 'throttles'),
  { title: 'SHARE', of: shareOf, isNumber: true },
  numberColumn('IN DOUBT', 'inDoubt'),
  numberColumn('RECONNECTS', 'reconnects'),
  timeColumn('AT', 'lastErrorAt'),
  column('LAST ERROR', 'lastError'),
];

/** What was found, of what was set. */
function paceOf(link: Row): string {
  const pace = word(link, 'pace');
  if (pace === '') return 'no limit';
  const throughput = word(link, 'throughput');
  return throughput === '0' || throughput === pace ? pace : `${pace}/${throughput}`;
}

/** Of the newest answers, how many throttled; and what of that the carrier does by chance, at any pace. */
function shareOf(link: Row): string {
  const [all = 0, chance = 0] = ['throttledShare', 'chanceShare'].map((each) => percentOf(word(link, each)));
  return chance === 0 ? `${all} %` : `${all} %, ${chance} % by chance`;
}

/** To a tenth. */
function percentOf(share: string): number {
  return Math.round(1_000 * Number(share)) / 10;
}

/** What a link that cannot send waits for. */
function nextOf(link: Row, now: number): string {
  const tries = word(link, 'nextTryAt');
  if (tries !== '') return `next try in ${secondsUntil(tries, now)} s`;
  const pause = word(link, 'pausedUntil');
  return pause === '' ? '' : `sends again in ${secondsUntil(pause, now)} s`;
}

function secondsUntil(time: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(time) - now) / secondMs));
}

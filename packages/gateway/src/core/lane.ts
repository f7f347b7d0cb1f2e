/**
 * Who may take a part that waits, as its place in the queue says it: parts of one route and account wait in one lane when
 * the same carriers may have them, so that a claim looks at no part that it may not take.
 */
export interface Lane {
  /** The carrier that alone may have it, as it has, or may have, another part of the message; null when there is none. */
  readonly holder: number | null;
  /** Carriers that had the part in this round of tries and could not take it: each gets it once a round. */
  readonly tried: readonly number[];
  /** Carriers that refused it for good, and whose refusal does not speak for others. */
  readonly refusedBy: readonly number[];
}

export const openLane: Lane = { holder: null, tried: [], refusedBy: [] };

/** How the queue spells the lane of a part that any carrier of its route may have: that of nearly all. */
export const openLaneText = '';

/** `=7` is held by carrier 7, `!3` was tried by carrier 3, `~5` was refused for good by carrier 5; in this order, ids growing. */
export function laneText({ holder, tried, refusedBy }: Lane): string {
  return marked('=', holder === null ? [] : [holder]) + marked('!', tried) + marked('~', refusedBy);
}

function marked(mark: string, ids: readonly number[]): string {
  return ids
    .toSorted((a, b) => a - b)
    .map((id) => `${mark}${id}`)
    .join('');
}

export function parseLane(text: string): Lane {
  if (text === openLaneText) return openLane;
  const ids = (mark: string) =>
    [...text.matchAll(/([=!~])(\d+)/g)].flatMap(([, found, id]) => (found === mark ? [Number(id)] : []));
  return { holder: ids('=')[0] ?? null, tried: ids('!'), refusedBy: ids('~') };
}

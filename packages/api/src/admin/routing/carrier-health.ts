/* Whether a carrier works. This is decided by its links, not by its status: a carrier works if all links are bound. */

import type { Instant } from '../../values/time.ts';
import type { AnswerOf } from '../resource.ts';
import type { Tone } from '../../fields/shown.ts';
import type { carrier } from './carrier.ts';

type Carrier = Pick<AnswerOf<typeof carrier.operations.show>, 'status' | 'links' | 'linkStates'>;
type Link = Carrier['linkStates'][number];

export interface CarrierHealth {
  /** `some`: a part of the links is bound. `unknown`: no link runs yet. */
  readonly links: 'bound' | 'some' | 'down' | 'unknown';
  readonly bound: number;
  /** Since when no link is bound; null unless `links` is `down`. */
  readonly downSince: Instant | null;
  readonly tone: Tone;
  readonly errors: readonly Pick<Link, 'link' | 'lastError' | 'lastErrorAt'>[];
}

export function healthOf({ status, links: wanted, linkStates }: Carrier): CarrierHealth {
  const down = linkStates.filter(({ downSince }) => downSince !== null);
  const bound = linkStates.length - down.length;
  const isWhole = bound > 0 && bound >= wanted;
  const links = linkStates.length === 0 ? 'unknown' : bound === 0 ? 'down' : isWhole ? 'bound' : 'some';
  // A drained carrier is meant to have no links.
  const isMeant = status === 'drained' || status === 'removed';
  return {
    links,
    bound,
    downSince: links === 'down' ? Math.max(...down.map(({ downSince }) => downSince ?? 0)) : null,
    tone: isWhole && status === 'active' ? 'good' : links === 'down' && !isMeant ? 'bad' : 'warn',
    errors: isMeant ? [] : down.filter(({ lastError }) => lastError !== null),
  };
}

import type { PduOf, RequestName, Respond } from '@morsel/smpp';
import type { LinkHandlers } from '../../flow/routing/carrier-link.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { DetailLog, EventLog } from '../../flow/ports.ts';

/** The clock, log and callbacks that a link needs. */
export interface LinkNeeds extends Pick<LinkHandlers, 'onRoom' | 'onLateAnswer'> {
  readonly clock: Clock;
  readonly random: Pick<Random, 'chance'>;
  readonly log: DetailLog & EventLog;
  /** Whether this node may act. */
  readonly isAlive: () => boolean;
  /** Resolves when that is certain; undefined while it is. */
  readonly whenCertain: () => Promise<void> | undefined;
  /** Called with each request that the carrier sends. */
  readonly onRequest: (pdu: PduOf<RequestName>, respond: Respond, bytes: Uint8Array) => void;
  /** Called with a deliver_sm or data_sm whose body cannot be read. */
  readonly onUnreadable: (respond: Respond, bytes: Uint8Array) => void;
}

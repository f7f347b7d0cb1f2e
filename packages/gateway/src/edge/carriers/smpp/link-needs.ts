import type { PduOf, RequestName, Respond } from '@morsel/smpp';
import type { LinkHandlers } from '../../../flow/routing/carrier-link.ts';
import type { Tools } from '../../../flow/ports.ts';

export interface LinkNeeds
  extends Pick<LinkHandlers, 'onRoom' | 'onLateAnswer'>, Pick<Tools, 'log' | 'clock' | 'random'> {
  readonly isAlive: () => boolean;
  /** Undefined if it is certain now whether this node may act, otherwise a promise that resolves when it is certain. */
  readonly whenCertain: () => Promise<void> | undefined;
  readonly onRequest: (pdu: PduOf<RequestName>, respond: Respond, bytes: Uint8Array) => void;
  readonly onUnreadable: (respond: Respond, bytes: Uint8Array) => void;
}

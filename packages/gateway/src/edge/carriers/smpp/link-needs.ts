import type { PduOf, RequestName, Respond } from '@morsel/smpp';
import type { bindLink } from './bind.ts';
import type { LinkHandlers, LinkTools } from '../../../flow/routing/carrier-link.ts';

export interface LinkNeeds extends LinkTools, Pick<LinkHandlers, 'onRoom' | 'onLateAnswer'> {
  readonly onRequest: (pdu: PduOf<RequestName>, respond: Respond, bytes: Uint8Array) => void;
  readonly onUnreadable: (respond: Respond, bytes: Uint8Array) => void;
  /** Binds a session to the carrier. */
  readonly bind: typeof bindLink;
}

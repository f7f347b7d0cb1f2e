import type { SessionHandlers } from '@morsel/smpp';
import type { DetailLog } from '../flow/ports.ts';

/**
 * At log level `trace`, returns a handler that logs the headers of a session's PDUs, never their bodies. At other
 * levels, returns no handler.
 */
export function traceHeaders(log: DetailLog, of: object): Pick<SessionHandlers, 'onHeader'> {
  if (!log.isLevelEnabled?.('trace')) return {};
  return { onHeader: (direction, header) => log.trace?.({ ...of, direction, ...header }, 'pdu') };
}

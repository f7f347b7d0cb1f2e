import type { SessionHandlers } from '@morsel/smpp';
import type { DetailLog } from '../flow/ports.ts';

/** The handler that writes the headers of a session's PDUs at `trace`; none at other levels. Bodies are never written. */
export function traceHeaders(log: DetailLog, of: object): Pick<SessionHandlers, 'onHeader'> {
  if (!log.isLevelEnabled?.('trace')) return {};
  return { onHeader: (direction, header) => log.trace?.({ ...of, direction, ...header }, 'pdu') };
}

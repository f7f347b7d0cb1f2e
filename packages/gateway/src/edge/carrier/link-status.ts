/** What `carrier show` tells of a link. */
export interface LinkStatus {
  readonly link: number;
  /** `waiting`: until it connects again; `draining`: until its window is empty; `stopped`: nobody wants it bound. */
  readonly state: 'connecting' | 'bound' | 'throttled' | 'waiting' | 'draining' | 'stopped';
  readonly since: number;
  readonly windowUsed: number;
  readonly windowMax: number;
  /** submit_sm a second that it sends at most: found, or as set; null for no bound. */
  readonly pace: number | null;
  /** As it was set; 0 for no limit. */
  readonly throughput: number;
  /** Since the process began: parts given to the socket, and how the carrier answered them. */
  readonly submitted: number;
  readonly accepted: number;
  readonly refused: number;
  readonly throttles: number;
  /** Of the last thousand answers or so, the share that throttled; and the share that does so whatever our pace is. */
  readonly throttledShare: number;
  readonly chanceShare: number;
  /** Receipts and messages that came faster than they can be written, and were refused with ESME_RX_T_APPN, to come again. */
  readonly surplus: number;
  /** deliver_sm and data_sm whose body could not be read: they are kept. */
  readonly unreadable: number;
  readonly reconnects: number;
  /** When a link that waits connects again. */
  readonly nextTryAt: number | null;
  /** Until when a throttling answer keeps it from sending. */
  readonly pausedUntil: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
}

/** What an answer to submit_sm, or its absence, means for the part. */
export type Outcome =
  /** The carrier took it. */
  | 'accepted'
  /** The carrier says slow down: back to the head of the queue, and no failed try (promise S6). */
  | 'busy'
  /** The carrier's own trouble: again later, until the validity ends. */
  | 'temporary'
  /** Never. */
  | 'refused'
  /** Nobody knows. */
  | 'in_doubt';

const busyStatuses = new Set([0x14 /* ESME_RMSGQFUL */, 0x58 /* ESME_RTHROTTLED */]);
const temporaryStatuses = new Set([0x08 /* ESME_RSYSERR */, 0x64 /* ESME_RX_T_APPN */]);

/** SMPP 3.4, section 5.1.3; vendor codes (0x400 and up) are final until a carrier's profile says otherwise. */
export function outcomeOf(commandStatus: number): Outcome {
  if (commandStatus === 0) return 'accepted';
  if (busyStatuses.has(commandStatus)) return 'busy';
  if (temporaryStatuses.has(commandStatus)) return 'temporary';
  return 'refused';
}

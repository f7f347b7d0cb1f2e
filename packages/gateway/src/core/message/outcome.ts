import type { CarrierProfile, StatusClass } from '../routing/carrier-profile.ts';

/** Outcome of an attempt: what the answer to submit_sm, or its absence, means for the part. */
export type Outcome =
  /** The carrier accepted the part. */
  | 'accepted'
  /** The carrier throttles: the part returns to the head of its queue, and this is no failed try (S6). */
  | 'busy'
  /** A temporary failure of the carrier: the part is tried again until its validity ends. */
  | 'temporary'
  /** A permanent refusal. */
  | 'refused'
  /** Unknown: no answer came. */
  | 'in_doubt';

/** Statuses of SMPP 3.4 (section 5.1.3) that are no permanent refusal. */
const statuses = {
  ok: 0x00,
  /** ESME_RINVBNDSTS: the carrier does not see the session as bound; the message is not at fault. */
  wrongBindState: 0x04,
  /** ESME_RSYSERR */
  systemError: 0x08,
  /** ESME_RMSGQFUL */
  queueFull: 0x14,
  /** ESME_RTHROTTLED */
  throttled: 0x58,
  /** ESME_RX_T_APPN */
  temporaryApplicationError: 0x64,
} as const;

/** Their classes. All others are `permanent`, vendor codes from 0x400 too. */
const standardClasses: { readonly [commandStatus: number]: StatusClass | undefined } = {
  [statuses.queueFull]: 'throttled',
  [statuses.throttled]: 'throttled',
  [statuses.wrongBindState]: 'temporary',
  [statuses.systemError]: 'temporary',
  [statuses.temporaryApplicationError]: 'temporary',
};

const outcomeOfClass = {
  throttled: 'busy',
  temporary: 'temporary',
  permanent: 'refused',
} as const satisfies Record<StatusClass, Outcome>;

/**
 * The outcome of a command_status: by the carrier's own classes first, then by the standard's. Status 0 is always an
 * acceptance: the carrier has the message.
 */
export function outcomeOf(commandStatus: number, ofCarrier: CarrierProfile['statusClasses']): Outcome {
  if (commandStatus === statuses.ok) return 'accepted';
  return outcomeOfClass[ofCarrier[commandStatus] ?? standardClasses[commandStatus] ?? 'permanent'];
}

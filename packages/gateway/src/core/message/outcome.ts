import type { CarrierProfile, StatusClass } from '../routing/carrier-profile.ts';

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

/** The statuses of SMPP 3.4 (section 5.1.3) that are no refusal for good. */
const statuses = {
  ok: 0x00,
  /** ESME_RINVBNDSTS: the session is not bound as the carrier sees it; the message itself is not at fault. */
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

/** What they mean (smpp-in-the-wild, 16). Every other one is `permanent`, vendor codes (0x400 and up) among them. */
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
 * What a command_status makes of the attempt: by the carrier's own classes first, then by the standard's. Status 0 is an
 * acceptance whatever a profile says: the carrier has the message.
 */
export function outcomeOf(commandStatus: number, ofCarrier: CarrierProfile['statusClasses']): Outcome {
  if (commandStatus === statuses.ok) return 'accepted';
  return outcomeOfClass[ofCarrier[commandStatus] ?? standardClasses[commandStatus] ?? 'permanent'];
}

/** What a person may say of a part in doubt: send it again, or that the carrier has it, or that nobody will know. */
export const doubtSettlements = ['resend', 'sent', 'unknown'] as const;
export type DoubtSettlement = (typeof doubtSettlements)[number];

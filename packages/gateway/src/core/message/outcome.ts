import type { CarrierProfile, StatusClass } from '../routing/carrier-profile.ts';

/* Interprets the carrier's answer to a submit_sm: the part's outcome, and whether another carrier may try the part. */

/** Outcome of an attempt to send a part, from the carrier's answer to submit_sm or from the missing answer. */
export type Outcome =
  /** The carrier accepted the part. */
  | 'accepted'
  /** The carrier throttles: back to the head of the queue, without counting as a failed try (S6). */
  | 'busy'
  /** The gateway tries the part again until its validity ends. */
  | 'temporary'
  | 'refused'
  | 'in_doubt';

/** The values of command_status that do not mean a permanent refusal (SMPP 3.4, section 5.1.3). */
const statuses = {
  ok: 0x00,
  /** ESME_RINVBNDSTS: the carrier thinks that the session is not bound. This has nothing to do with the message. */
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

/** The class of each status. Every other status is `permanent`, including vendor-specific codes from 0x400. */
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

/** The carrier's own classes take precedence over the standard's. Status 0 always means accepted. */
export function outcomeOf(commandStatus: number, ofCarrier: CarrierProfile['statusClasses']): Outcome {
  if (commandStatus === statuses.ok) return 'accepted';
  return outcomeOfClass[ofCarrier[commandStatus] ?? standardClasses[commandStatus] ?? 'permanent'];
}

/**
 * Permanent refusals that concern the carrier and not the message, so another carrier may accept the part (SMPP 3.4,
 * section 5.1.3, and 5.0). Any other refusal, such as an unknown receiver, would probably come from every carrier.
 */
const failOverStatuses: ReadonlySet<number> = new Set([
  0x03, // ESME_RINVCMDID
  0x04, // ESME_RINVBNDSTS
  0x07, // ESME_RINVREGDLVFLG
  0x0a, // ESME_RINVSRCADR
  0x0d, // ESME_RBINDFAIL
  0x15, // ESME_RINVSERTYP
  0x43, // ESME_RINVESMCLASS
  0x45, // ESME_RSUBMITFAIL
  0x48, // ESME_RINVSRCTON
  0x49, // ESME_RINVSRCNPI
  0x61, // ESME_RINVSCHED
  0x62, // ESME_RINVEXPIRY
  0xff, // ESME_RUNKNOWNERR
  0x101, // ESME_RPROHIBITED (SMPP 5.0)
  0x104, // ESME_RINVDCS (SMPP 5.0)
]);

/** Whether another carrier may try a part after a permanent refusal with this status. */
export function mayFailOver(commandStatus: number): boolean {
  return failOverStatuses.has(commandStatus);
}

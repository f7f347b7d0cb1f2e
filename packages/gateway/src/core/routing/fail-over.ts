/**
 * Permanent refusals that concern the carrier and not the message: another carrier may take it. Any other refusal (an
 * unknown receiver, a text that is too long, unknown vendor codes) would come back from every carrier, or may be
 * intended. SMPP 3.4, section 5.1.3.
 */
const failOverStatuses: ReadonlyMap<number, string> = new Map([
  [0x03, 'ESME_RINVCMDID: it takes no submit_sm from us'],
  [0x04, 'ESME_RINVBNDSTS: it takes none on this bind'],
  [0x07, 'ESME_RINVREGDLVFLG: it gives no such receipts'],
  [0x0a, 'ESME_RINVSRCADR: the sender is not registered there'],
  [0x0d, 'ESME_RBINDFAIL: our account there is in trouble'],
  [0x15, 'ESME_RINVSERTYP: the service type is one of its own'],
  [0x43, 'ESME_RINVESMCLASS: it takes no such parts'],
  [0x45, 'ESME_RSUBMITFAIL: it says no more than that it did not work, credit and coverage among the reasons'],
  [0x48, 'ESME_RINVSRCTON: how it wants senders written is its own'],
  [0x49, 'ESME_RINVSRCNPI: the same'],
  [0x61, 'ESME_RINVSCHED: how it wants times written is its own'],
  [0x62, 'ESME_RINVEXPIRY: the same'],
  [0xff, 'ESME_RUNKNOWNERR: it does not know itself'],
  [0x101, 'ESME_RPROHIBITED (5.0): it may not carry this for us'],
  [0x104, 'ESME_RINVDCS (5.0): which codings it takes is its own'],
]);

/** Whether another carrier may try a part after a permanent refusal with this status. */
export function mayFailOver(commandStatus: number): boolean {
  return failOverStatuses.has(commandStatus);
}

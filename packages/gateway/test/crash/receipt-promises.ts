import { eventOfReceipt, isEnd } from '../../src/core/message/receipt.ts';
import { type CarrierEvidence, type PartEvidence, ofEvent } from './carrier-evidence.ts';
import type { CarrierPromise } from './carrier-promises.ts';

/*
 * D1 to D5, O1, O3 and O4 of architecture.md, checked from outside. Each check returns sentences about what does not
 * hold.
 */

/**
 * Answers that are not an acknowledgement: ESME_RX_T_APPN, to send it again; and generic_nacks for octets that are no
 * PDU and for unknown commands (ESME_RINVCMDLEN, ESME_RINVCMDID), which the carrier may take
 * for the answer to its last request.
 */
const comeAgain: readonly (number | null)[] = [0x64, 0x02, 0x03];

export const receivingPromises: readonly CarrierPromise[] = [
  { promise: 'D1: early and unknown receipts are unmatched and matched, and none is dropped', faults: droppedFaults },
  { promise: 'D2: a receipt matches on whichever link it comes', faults: unmatchedFaults },
  {
    promise: "D3: ids compare under the carrier's rule: a receipt is for its own part, and no other",
    faults: strangerFaults,
  },
  { promise: 'D4: duplicates and late ENROUTE change nothing', faults: duplicateFaults },
  { promise: 'D5: acknowledged only after commit, else ESME_RX_T_APPN', faults: acknowledgedFaults },
  { promise: 'O1: inbound is acknowledged after commit', faults: inboundFaults },
  { promise: 'O3: incomplete long messages are delivered as such', faults: incompleteFaults },
  { promise: 'O4: a receipt is never taken for a message, nor the reverse', faults: mistakenFaults },
];

/** How many were made, acknowledged, and sent with an unknown result. */
function sent(evidence: CarrierEvidence, kind: 'receipt' | 'inbound') {
  const answers = ofEvent(evidence.journal, `${kind}_answer`);
  const tries = ofEvent(evidence.journal, kind);
  return {
    made: tries.filter(({ attempt }) => attempt === 1).length,
    acknowledged: answers.filter(({ command_status }) => command_status === 0).length,
    perhaps:
      tries.length - answers.filter(({ command_status }) => command_status === 0 || command_status === 0x64).length,
  };
}

/** Receipts in the store: each is unmatched, the end of its part, or a note of it. */
function kept({ parts, unmatched }: CarrierEvidence): number {
  const settled = parts.map(({ notes, carrierState }) => {
    const noted = notes.filter(({ kind }) => ['receipt', 'duplicate-receipt', 'corrected'].includes(kind)).length;
    const isEnded = isEndState(carrierState) && !notes.some(({ kind }) => kind === 'corrected');
    return noted + (isEnded ? 1 : 0);
  });
  return settled.reduce((sum, count) => sum + count, unmatched.length);
}

function isEndState(state: string | null): boolean {
  return state !== null && !['SCHEDULED', 'ENROUTE', 'ACCEPTED'].includes(state);
}

function droppedFaults(evidence: CarrierEvidence): string[] {
  const { made, acknowledged, perhaps } = sent(evidence, 'receipt');
  const faults: string[] = [];
  if (made !== acknowledged) faults.push(`${made} receipts were sent, ${acknowledged} acknowledged`);
  const stored = kept(evidence);
  const most = acknowledged + perhaps + evidence.sentTwice;
  if (stored < acknowledged || stored > most) {
    faults.push(`${acknowledged} to ${most} receipts were kept, and ${stored} are matched, duplicates or unmatched`);
  }
  const waiting = evidence.unmatched.filter(({ isAwaited }) => isAwaited).length;
  if (waiting > 0 && !evidence.learns)
    faults.push(`${waiting} receipts are unmatched though a part with their id waits for them`);
  return faults;
}

/** Those that would have ended it, if all had been matched. */
function endsOf({ receipts }: PartEvidence) {
  return receipts.filter(({ state }) => isEnd(state));
}

/** An unmatched receipt may belong to this part. */
function mayBeUnmatched({ unmatched }: CarrierEvidence, { sender, receiver }: PartEvidence): boolean {
  return unmatched.some(
    (each) => [each.sender, each.receiver].toSorted().join() === [sender, receiver].toSorted().join(),
  );
}

function unmatchedFaults(evidence: CarrierEvidence): string[] {
  return evidence.parts
    .filter((part) => endsOf(part).length > 0 && !isEndState(part.carrierState) && !mayBeUnmatched(evidence, part))
    .map(
      ({ name, state }) =>
        `${name} is ${state}, its receipt was acknowledged, and nothing is unmatched that could be it`,
    );
}

function strangerFaults({ parts }: CarrierEvidence): string[] {
  return parts.flatMap((part) => {
    const { name, carrierState } = part;
    if (!isEndState(carrierState)) return [];
    const own = endsOf(part).map(({ state }) => state);
    return own.some((state) => state === carrierState)
      ? []
      : [`${name} is ${carrierState}, and its receipts say ${own.join() || 'nothing'}`];
  });
}

function duplicateFaults({ parts }: CarrierEvidence): string[] {
  return parts.flatMap((part) => {
    const { name, state, carrierState, changedAt, notes, refunds } = part;
    const faults: string[] = [];
    const [first] = endsOf(part);
    const isCorrected = notes.some(({ kind }) => kind === 'corrected');
    if (first && isEndState(carrierState) && !isCorrected && state !== eventOfReceipt[first.state]) {
      faults.push(`${name} is ${state}, and its first receipt said ${first.state}`);
    }
    const later = notes.filter(({ kind, at }) => kind === 'duplicate-receipt' && at < changedAt);
    if (later.length > 0) faults.push(`${name} has changed after a receipt that came when it was final`);
    if (refunds > 1) faults.push(`${name} was refunded ${refunds} times`);
    return faults;
  });
}

function acknowledgedFaults({ journal, seen }: CarrierEvidence): string[] {
  return [...seen.filter((fault) => fault.startsWith('D5')), ...statusFaults(ofEvent(journal, 'receipt_answer'))];
}

function statusFaults(answers: readonly { readonly command_status: number | null }[]): string[] {
  return answers
    .filter(
      ({ command_status }) => command_status !== null && command_status !== 0 && !comeAgain.includes(command_status),
    )
    .map(({ command_status }) => `one was answered with ${command_status}`);
}

function inboundFaults(evidence: CarrierEvidence): string[] {
  const { made, acknowledged } = sent(evidence, 'inbound');
  return [
    ...evidence.seen.filter((fault) => fault.startsWith('O1')),
    ...statusFaults(ofEvent(evidence.journal, 'inbound_answer')),
    ...(made === acknowledged ? [] : [`${made} parts from phones were sent, ${acknowledged} acknowledged`]),
  ];
}

/** After the wait for the other parts is over. */
function incompleteFaults({ inbound }: CarrierEvidence): string[] {
  return [
    ...(inbound.waiting === 0 ? [] : [`${inbound.waiting} parts are in no message`]),
    ...(inbound.misjudged === 0 ? [] : [`${inbound.misjudged} messages are wrongly called complete or incomplete`]),
  ];
}

function mistakenFaults(evidence: CarrierEvidence): string[] {
  const { acknowledged, perhaps } = sent(evidence, 'inbound');
  const { waiting, received } = evidence.inbound;
  const stored = waiting + received;
  const least = acknowledged - evidence.sentTwice;
  return stored >= least && stored <= acknowledged + perhaps
    ? []
    : [`${least} to ${acknowledged + perhaps} parts came from phones, and ${stored} are kept`];
}

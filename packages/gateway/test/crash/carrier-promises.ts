import { resendsMax, type InDoubtPolicy } from '../../src/core/routing/carrier.ts';
import { type Attempt, type CarrierEvidence, type PartEvidence, ofEvent } from './carrier-evidence.ts';
import type { Submit } from '../support/gateway/tour.ts';

/* S1 to S6 of architecture.md, checked from outside. Each check returns sentences about what does not hold. */

export interface CarrierPromise {
  readonly promise: string;
  readonly faults: (evidence: CarrierEvidence) => string[];
}

const throttled = 0x58;
const queueFull = 0x14;
/** This many times in a row a full queue pauses the whole link; after that only the receiver waits. */
const queueFullMax = 3;
/** How much later than sent a request may be read on a busy machine, in a second of throughput. */
const lateMs = 400;

export const submittingPromises: readonly CarrierPromise[] = [
  { promise: 'S1: the claim is committed before the first byte', faults: claimFaults },
  { promise: 'S2: no more in flight than the window, and no faster than the throughput', faults: limitFaults },
  { promise: 'S3: every request gets exactly one outcome, and that is its answer', faults: outcomeFaults },
  { promise: 'S4: one owner a part', faults: ownerFaults },
  {
    promise: 'S5: accepted or left in doubt no more than once, and once more for each doubt before',
    faults: repeatFaults,
  },
  { promise: 'S6: throttled parts keep their place, and it is no failed try', faults: orderFaults },
];

function claimFaults({ journal, parts, seen }: CarrierEvidence): string[] {
  const known = parts.reduce((sum, { submits, unheard }) => sum + submits.length + unheard, 0);
  const read = ofEvent(journal, 'submit').length + ofEvent(journal, 'unheard').length;
  return [
    ...seen.filter((fault) => fault.startsWith('S1')),
    ...(known === read ? [] : [`the carrier has read ${read} submit_sm, of which ${known} are of a part`]),
    ...parts
      .filter(({ submits, unheard, attempts }) => submits.length + unheard > attempts.length)
      .map(({ name, attempts }) => `${name} was read more often than its ${attempts.length} claims`),
  ];
}

function limitFaults(evidence: CarrierEvidence): string[] {
  const { journal, parts, window, throughput } = evidence;
  const faults: string[] = [];
  for (const [link, attempts] of Map.groupBy(
    parts.flatMap((part) => part.attempts),
    (attempt) => `${attempt.link} of run ${attempt.lease}`,
  )) {
    const most = mostAtOnce(attempts);
    if (most > window) faults.push(`${most} claimed and unanswered at once on link ${link}, of a window of ${window}`);
  }
  const doubtedAt = new Map(parts.flatMap((part) => part.submits.map((submit) => [submit.serial, lastDoubt(part)])));
  for (const [session, submits] of Map.groupBy(ofEvent(journal, 'submit'), (submit) => submit.session)) {
    const inOrder = submits.toSorted((one, other) => one.serial - other.serial);
    for (const [index, submit] of inOrder.entries()) {
      // A request that the link has given up is not in flight, though its carrier may still answer.
      const isGivenUp = ({ serial }: Submit) => (doubtedAt.get(serial) ?? Infinity) <= submit.time;
      const inFlight = submit.unanswered - inOrder.slice(0, index).filter(isGivenUp).length;
      if (inFlight > window) faults.push(`${inFlight} in flight on session ${session}, of a window of ${window}`);
      const before = inOrder[index - throughput];
      if (throughput > 0 && before && submit.time - before.time < 1_000 - lateMs) {
        faults.push(`${throughput + 1} on session ${session} in ${submit.time - before.time} ms`);
      }
    }
  }
  return faults;
}

function lastDoubt({ attempts }: PartEvidence): number | undefined {
  return attempts.findLast(({ doubtedAt }) => doubtedAt !== null)?.doubtedAt ?? undefined;
}

function mostAtOnce(attempts: readonly Attempt[]): number {
  const steps = attempts
    .flatMap((attempt) => [
      { at: attempt.claimedAt, step: 1 },
      { at: endOf(attempt), step: -1 },
    ])
    .toSorted((one, other) => one.at - other.at || one.step - other.step);
  let now = 0;
  return steps.reduce((most, { step }) => Math.max(most, (now += step)), 0);
}

/** When its link had room for another. */
function endOf({ doubtedAt, answeredAt }: Attempt): number {
  return doubtedAt ?? answeredAt ?? Infinity;
}

function outcomeFaults({ parts, isLossy }: CarrierEvidence): string[] {
  return parts.flatMap(({ name, attempts, submits, unheard, doubts }) => {
    const faults: string[] = [];
    const open = attempts.filter(({ outcome, answeredAt }) => outcome === null || answeredAt === null);
    if (open.length > 0) faults.push(`${name} has ${open.length} attempts without an outcome`);
    const given = submits.filter(({ command_status }) => command_status !== null).map(answerOf);
    for (const attempt of attempts.filter(({ commandStatus }) => commandStatus !== null)) {
      const at = given.findIndex(({ status, id }) => status === attempt.commandStatus && fits(attempt, id));
      if (at === -1) faults.push(`${name} has an answer ${attempt.commandStatus} that nobody gave`);
      else given.splice(at, 1);
    }
    // The rest are spoilt or late answers, and requests without one: as many are in doubt.
    const unanswered = given.length + submits.filter(({ command_status }) => command_status === null).length + unheard;
    const inDoubt = attempts.filter(({ outcome }) => outcome === 'in_doubt').length;
    if (unanswered > inDoubt || (unanswered < inDoubt && !isLossy)) {
      faults.push(`${name} was read ${unanswered} times without an answer, and ${inDoubt} attempts are in doubt`);
    }
    const doubted = attempts.filter(({ doubtedAt }) => doubtedAt !== null).length;
    if (doubted !== doubts || inDoubt > doubts)
      faults.push(`${name} was in doubt ${doubts} times in ${doubted} attempts`);
    return faults;
  });
}

function answerOf({ command_status, message_id }: Submit): {
  readonly status: number | null;
  readonly id: string | null;
} {
  return { status: command_status, id: message_id };
}

/** The journal does not have an id that the answer left out or changed. */
function fits({ carrierId }: Attempt, id: string | null): boolean {
  const isSpoilt = carrierId === null || carrierId === '7'.repeat(carrierId.length);
  return isSpoilt || carrierId === id;
}

function ownerFaults({ parts, links }: CarrierEvidence): string[] {
  return parts.flatMap(({ name, attempts }) =>
    attempts.flatMap((attempt, index) => {
      const before = attempts[index - 1];
      if (attempt.link < 1 || attempt.link > links) return [`${name} was given to link ${attempt.link} of ${links}`];
      if (attempt.number !== index + 1) return [`${name} has no attempt ${index + 1}`];
      if (before && (attempt.claimedAt < endOf(before) || attempt.lease < before.lease)) {
        return [`${name} was claimed again while attempt ${before.number} had it`];
      }
      return [];
    }),
  );
}

/** How often a part may be in doubt, by the carrier's policy. */
const doubtsMax: Record<InDoubtPolicy, number> = { hold: 1, fail: 1, resend: 1 + resendsMax };

function repeatFaults({ parts, inDoubt }: CarrierEvidence): string[] {
  return parts.flatMap(({ name, attempts, submits, doubts }) => {
    const faults: string[] = [];
    const accepted = submits.filter(({ command_status }) => command_status === 0).length;
    if (accepted > 1 + doubts) faults.push(`${name} was accepted ${accepted} times, and in doubt ${doubts} times`);
    if (doubts > doubtsMax[inDoubt]) faults.push(`${name} was in doubt ${doubts} times under ${inDoubt}`);
    for (const [index, { number, outcome, doubtedAt }] of attempts.entries()) {
      const isLast = index === attempts.length - 1;
      const mayFollow = outcome === 'busy' || outcome === 'temporary' || (doubtedAt !== null && inDoubt === 'resend');
      if (!isLast && !mayFollow)
        faults.push(`${name} was sent again after attempt ${number} (${outcome}) under ${inDoubt}`);
    }
    return faults;
  });
}

function orderFaults(evidence: CarrierEvidence): string[] {
  return [...overtaken(evidence), ...outOfOrder(evidence), ...countedTries(evidence)];
}

/** Nothing behind it is sent between a busy answer, or an early end of the link, and the next claim. */
function overtaken({ parts }: CarrierEvidence): string[] {
  return parts.flatMap((part) =>
    part.attempts.flatMap((attempt, index) => {
      const next = part.attempts[index + 1];
      const { outcome, answeredAt, commandStatus } = attempt;
      if (outcome !== 'busy' || answeredAt === null || !next) return [];
      const busyBefore = part.attempts.slice(0, index).filter((each) => each.outcome === 'busy').length;
      if (commandStatus === queueFull && busyBefore >= queueFullMax) return [];
      const isBetween = ({ claimedAt }: Attempt) => claimedAt > answeredAt && claimedAt < next.claimedAt;
      return parts
        .filter(
          (other) => other.message > part.message && other.account === part.account && other.attempts.some(isBetween),
        )
        .map((other) => `${other.name} started before ${part.name}, which had been throttled`);
    }),
  );
}

/**
 * For each account and receiver, a link writes in the order of acceptance. Parts that came back are left out: of two
 * links, the other may have written later parts.
 */
function outOfOrder({ parts }: CarrierEvidence): string[] {
  const first = parts.filter(
    ({ attempts, submits }) =>
      submits.length === attempts.length && attempts.every(({ outcome }) => outcome !== 'busy'),
  );
  const reads = first.flatMap(({ name, message, account, receiver, submits }) =>
    submits
      .slice(0, 1)
      .map(({ serial, session }) => ({ name, message, serial, line: `${account} ${receiver} ${session}` })),
  );
  return [...Map.groupBy(reads, ({ line }) => line).values()].flatMap((line) =>
    line
      .toSorted((one, other) => one.serial - other.serial)
      .flatMap((read, index, all) => {
        const before = all[index - 1];
        return before && before.message > read.message ? [`${read.name} was read behind ${before.name}`] : [];
      }),
  );
}

function countedTries({ parts }: CarrierEvidence): string[] {
  return parts.flatMap(({ name, attempts, tries }) => {
    const failed = attempts.filter(({ outcome }) => outcome === 'temporary').length;
    const wrongly = attempts.some(({ commandStatus, outcome }) => commandStatus === throttled && outcome !== 'busy');
    return tries === failed && !wrongly ? [] : [`${name} has ${tries} tries, and ${failed} failed`];
  });
}

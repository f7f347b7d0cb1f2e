import type { InDoubtPolicy } from '../../src/core/routing/carrier.ts';
import { attemptsSql } from '../support/store/store.ts';
import type { CarrierState } from '../../src/core/message/receipt.ts';
import type { Row, StoreFile } from '../support/store/store-file.ts';
import type { JournalEntry, Submit } from '../support/gateway/tour.ts';

/*
 * What the store and the carrier's journal know of every part, side by side, for the promises about carriers. A part is
 * identified by its receiver and text, so two messages of a run never have both in common; each has one part.
 */

type ReceiptAnswer = Extract<JournalEntry, { event: 'receipt_answer' }>;

export interface Attempt {
  readonly number: number;
  readonly link: number;
  readonly lease: number;
  readonly claimedAt: number;
  readonly answeredAt: number | null;
  readonly outcome: string | null;
  readonly commandStatus: number | null;
  readonly carrierId: string | null;
  /** When its answer was given up, if ever: a late answer is its outcome all the same. */
  readonly doubtedAt: number | null;
}

interface Note {
  readonly at: number;
  readonly kind: string;
  readonly detail: string;
}

export interface PartEvidence {
  /** For sentences. */
  readonly name: string;
  /** In the order of acceptance. */
  readonly message: number;
  readonly account: number;
  readonly refundPolicy: string;
  readonly sender: string;
  readonly receiver: string;
  readonly state: string;
  readonly carrierState: string | null;
  readonly changedAt: number;
  readonly tries: number;
  readonly refunds: number;
  readonly attempts: readonly Attempt[];
  readonly notes: readonly Note[];
  /** How often it was in doubt. */
  readonly doubts: number;
  /** As the carrier read them, in that order. */
  readonly submits: readonly Submit[];
  /** How often it was read after the carrier had closed the connection. */
  readonly unheard: number;
  /** The acknowledged receipts about it, in the order of acknowledgement. */
  readonly receipts: readonly (ReceiptAnswer & { readonly state: CarrierState })[];
}

/** The setup of the run, as far as the promises depend on it. */
export interface Setup {
  /** In the store of a gateway with other runs, only the rows of this carrier count. */
  readonly carrier: string;
  /** The prefix of its receivers. */
  readonly prefix: string;
  readonly window: number;
  readonly links: number;
  /** 0 for no limit. */
  readonly throughput: number;
  readonly inDoubt: InDoubtPolicy;
  /** Connections end with requests in the network: these are in doubt, though the carrier has not read them. */
  readonly isLossy: boolean;
  /** Ids are read under a rule that is still to be learned. */
  readonly learns: boolean;
  /** Number of requests that the simulator sends twice and records once. */
  readonly sentTwice: number;
}

export interface CarrierEvidence extends Setup {
  readonly journal: readonly JournalEntry[];
  readonly parts: readonly PartEvidence[];
  /** Each unmatched receipt: its numbers, and whether its id is in an answer whose part still waits for it. */
  readonly unmatched: readonly { readonly sender: string; readonly receiver: string; readonly isAwaited: boolean }[];
  readonly inbound: {
    readonly waiting: number;
    readonly received: number;
    readonly incomplete: number;
    /** Messages marked complete that are not, or the reverse. */
    readonly misjudged: number;
  };
  /** Faults seen during the run. */
  readonly seen: readonly string[];
}

export function ofEvent<E extends JournalEntry['event']>(
  journal: readonly JournalEntry[],
  event: E,
): Extract<JournalEntry, { event: E }>[] {
  return journal.filter((entry): entry is Extract<JournalEntry, { event: E }> => entry.event === event);
}

/** Reads the store of a stopped gateway. */
export function gatherEvidence(
  store: StoreFile,
  given: Setup & Pick<CarrierEvidence, 'journal' | 'seen'>,
): CarrierEvidence {
  const { carrier } = given;
  const own = 'carrier = (select id from carrier where name = ?)';
  return {
    ...given,
    parts: partsOf(store, given),
    unmatched: store
      .rows(
        `select sender, receiver, exists (select 1 from attempt join part
            on part.message = attempt.message and part.number = attempt.part
            where attempt.carrier = unmatched_receipt.carrier and attempt.carrier_id_key = unmatched_receipt.carrier_id_key
              and part.deadline is not null) as awaited from unmatched_receipt where ${own}`,
        carrier,
      )
      .map((row) => ({
        sender: row.text('sender'),
        receiver: row.text('receiver'),
        isAwaited: row.integer('awaited') === 1,
      })),
    inbound: {
      waiting: store.count(`select count(*) from inbound_part where ${own}`, carrier),
      received: store.count(`select coalesce(sum(parts_received), 0) from inbound where ${own}`, carrier),
      incomplete: store.count(`select count(*) from inbound where not complete and ${own}`, carrier),
      misjudged: store.count(
        `select count(*) from inbound where complete <> (parts_received = num_parts) and ${own}`,
        carrier,
      ),
    },
  };
}

const partsSql = `select message.id, account, refund_policy, sender, receiver,
    text_in('message', account, message.id, content) as text, state, carrier_state, changed_at, tries,
    (select count(*) from entry where kind = 'refund' and first_message = message.id) as refunds
  from part join message on message.id = part.message join account on account.id = message.account
  where receiver like ? order by message.id`;

function partsOf(
  store: StoreFile,
  { journal, prefix }: { readonly journal: readonly JournalEntry[]; readonly prefix: string },
): PartEvidence[] {
  const attempts = Map.groupBy(store.rows(`select * from ${attemptsSql} order by message, number`), (row) =>
    row.integer('message'),
  );
  const notes = Map.groupBy(store.rows('select * from note order by id'), (row) => row.integer('message'));
  const submits = Map.groupBy(ofEvent(journal, 'submit'), keyOf);
  const unheard = Map.groupBy(ofEvent(journal, 'unheard'), keyOf);
  const acknowledged = ofEvent(journal, 'receipt_answer').filter(({ command_status }) => command_status === 0);
  const receipts = Map.groupBy(acknowledged, ({ serial }) => serial);
  return store.rows(partsSql, `+${prefix}%`).map((row) => {
    const message = row.integer('id');
    const told = (notes.get(message) ?? []).map(noteOf);
    const key = keyOf({ destination: row.text('receiver').replace('+', ''), text: row.text('text') });
    const read = (submits.get(key) ?? []).toSorted((one, other) => one.serial - other.serial);
    const own = read.flatMap(({ serial }) => receipts.get(serial) ?? []);
    return {
      name: `"${row.text('text')}" to ${row.text('receiver')}`,
      message,
      account: row.integer('account'),
      refundPolicy: row.text('refund_policy'),
      sender: row.text('sender'),
      receiver: row.text('receiver'),
      state: row.text('state'),
      carrierState: row.textOrNull('carrier_state'),
      changedAt: row.integer('changed_at'),
      tries: row.integer('tries'),
      refunds: row.integer('refunds'),
      attempts: (attempts.get(message) ?? []).map((attempt) => attemptOf(attempt, told)),
      notes: told,
      doubts: told.filter(({ kind }) => kind === 'in-doubt').length,
      submits: read,
      unheard: unheard.get(key)?.length ?? 0,
      receipts: own
        .flatMap((answer) => (answer.state === null ? [] : [{ ...answer, state: answer.state }]))
        .toSorted((one, other) => journal.indexOf(one) - journal.indexOf(other)),
    };
  });
}

export function keyOf({ destination, text }: { readonly destination: string; readonly text?: string }): string {
  return `${destination} ${text ?? ''}`;
}

function noteOf(row: Row): Note {
  return { at: row.integer('at'), kind: row.text('kind'), detail: row.text('detail') };
}

function attemptOf(row: Row, notes: readonly Note[]): Attempt {
  const number = row.integer('number');
  const doubt = notes.find(
    ({ kind, detail }) => kind === 'in-doubt' && detail.startsWith(`attempt ${number} had no answer`),
  );
  return {
    number,
    link: row.integer('link'),
    lease: row.integer('lease'),
    claimedAt: row.integer('claimed_at'),
    answeredAt: row.integerOrNull('answered_at'),
    outcome: row.textOrNull('outcome'),
    commandStatus: row.integerOrNull('command_status'),
    carrierId: row.textOrNull('carrier_id'),
    doubtedAt: doubt?.at ?? null,
  };
}

/* Reads the store at the moment in which a carrier gets a PDU, to check that its cause was committed before. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isEnd, type CarrierState } from '../../src/core/message/receipt.ts';
import { StoreFile } from '../support/store/store-file.ts';
import type { JournalEntry } from '../support/gateway/tour.ts';

const carrierStates: readonly CarrierState[] = [
  'DELIVERED',
  'EXPIRED',
  'DELETED',
  'UNDELIVERABLE',
  'UNKNOWN',
  'REJECTED',
  'SKIPPED',
];
const ends = carrierStates
  .filter(isEnd)
  .map((state) => `'${state}'`)
  .join(', ');

/** Restricts queries to a carrier and to the prefix of its receivers. */
const ownSql = `with own_carrier as (select id from carrier where name = ?1), own as (select id from message where receiver like ?2)`;

/** Counts the receipts in the store: unmatched ones, ones with a note, and ones that only ended a part. */
const receiptsSql = `${ownSql} select (select count(*) from unmatched_receipt where carrier in own_carrier)
  + (select count(*) from note where message in own and kind in ('receipt', 'duplicate-receipt', 'corrected'))
  + (select count(*) from part where message in own and carrier_state in (${ends})
      and not exists (select 1 from note where note.message = part.message and note.part = part.number and kind = 'corrected'))`;

const inboundSql = `${ownSql} select (select count(*) from inbound_part where carrier in own_carrier)
  + (select coalesce(sum(parts_received), 0) from inbound where carrier in own_carrier)`;

/** The state of every part. Two equal results mean that nothing changed in between. */
const standingSql = `${ownSql} select state || coalesce(carrier_state, 0) || attempts from part where message in own`;

/** Parts that are not final. */
const unfinishedSql = `${ownSql} select count(*) from part where message in own and deadline is not null`;

export interface WitnessOptions {
  /** The number of inbound parts that come twice, and are stored once. */
  readonly inboundTwice: number;
  readonly carrier: string;
  /** The prefix of the carrier's receivers. */
  readonly prefix: string;
}

/**
 * Reads the store at the moment in which the carrier gets a PDU, over a connection that finds only committed rows.
 */
export class Witness implements Disposable {
  /** A sentence for each row that was not committed in time. */
  readonly faults: string[] = [];
  readonly #inboundTwice: number;
  readonly #own: readonly [carrier: string, receivers: string];
  readonly #reads = new Map<string, number>();
  #receipts = 0;
  #inbound = 0;
  #store: StoreFile | undefined;

  constructor({ inboundTwice, carrier, prefix }: WitnessOptions) {
    this.#inboundTwice = inboundTwice;
    this.#own = [carrier, `+${prefix}%`];
  }

  hears(entry: JournalEntry, dataDir: string): void {
    if (entry.event === 'submit') this.#submit(entry, dataDir);
    if (entry.event === 'receipt_answer' && entry.command_status === 0) {
      this.#receipts += 1;
      const kept = this.#of(dataDir)?.count(receiptsSql, ...this.#own) ?? 0;
      if (kept < this.#receipts) this.faults.push(`D5: ${this.#receipts} receipts acknowledged, and ${kept} committed`);
    }
    if (entry.event === 'inbound_answer' && entry.command_status === 0) {
      this.#inbound += 1;
      const kept = (this.#of(dataDir)?.count(inboundSql, ...this.#own) ?? 0) + this.#inboundTwice;
      if (kept < this.#inbound)
        this.faults.push(`O1: ${this.#inbound} parts from phones acknowledged, and ${kept} committed`);
    }
  }

  /** The state of every part. Two equal results mean that nothing changed in between. */
  standing(dataDir: string): readonly string[] {
    return this.#of(dataDir)?.texts(standingSql, ...this.#own) ?? [];
  }

  /** Parts that are not final. */
  unfinished(dataDir: string): number {
    return this.#of(dataDir)?.count(unfinishedSql, ...this.#own) ?? 0;
  }

  [Symbol.dispose](): void {
    this.#store?.[Symbol.dispose]();
  }

  #submit(entry: Extract<JournalEntry, { event: 'submit' }>, dataDir: string): void {
    const key = keyOf(entry);
    const reads = (this.#reads.get(key) ?? 0) + 1;
    this.#reads.set(key, reads);
    const claims =
      this.#of(dataDir)?.count(
        `select coalesce(sum(attempts), 0) from part where message in
          (select id from message where receiver = ? and text_in('message', account, id, content) = ?)`,
        `+${entry.destination}`,
        entry.text ?? '',
      ) ?? 0;
    if (claims < reads)
      this.faults.push(`S1: the carrier has read ${key} ${reads} times, and ${claims} claims are committed`);
  }

  #of(dataDir: string): StoreFile | undefined {
    if (!this.#store && existsSync(join(dataDir, 'morsel.db'))) this.#store = StoreFile.of(dataDir);
    return this.#store;
  }
}

/** The key of a part: its receiver and text. No two messages of a run have the same key. */
export function keyOf({ destination, text }: { readonly destination: string; readonly text?: string }): string {
  return `"${text ?? ''}" to +${destination}`;
}

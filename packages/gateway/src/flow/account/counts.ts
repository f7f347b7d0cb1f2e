/*
 * Counts in memory how often rules are broken, tokens are used and requests are refused, and what carriers do, and stores the
 * counts once a minute.
 */

import type { Account } from '../../core/account/account.ts';
import type { RuleMode, RuleName } from '@morsel/api/values/account.ts';
import { dayMs, hourMs, minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import { countedNames, countedTables, type CountLists } from '../../state/decide/account/counts.ts';
import { LoadedRows } from '../../state/rows/loaded.ts';
import {
  refusalHourTable,
  ruleHitTable,
  ruleSlotTable,
  tokenDayTable,
  type RefusalRow,
} from '../../state/tables/account.ts';
import { trafficSlotTable, trafficSpans } from '../../state/tables/alarm/traffic.ts';
import { carrierSlotTable, slotMs } from '../../state/tables/route.ts';
import type { Table } from '../../state/tables/table.ts';
import type { Meters } from '../metrics/meters.ts';
import { trafficOf } from '../metrics/traffic.ts';
import type { Tools } from '../ports.ts';

const writeEveryMs = minuteMs;
/** The most sample refusals that are kept between two writes. The counts by account and code need no limit. */
const refusalsMax = 1_000;

/** Counts are written once a minute, not at each hit and use. A killed process loses those of the last minute. */
export class Counts {
  readonly #needs;
  readonly #loop: Loop;
  /** The counts since the last write, added up as the store adds them up. */
  #counted = new LoadedRows();
  #refusals: RefusalRow[] = [];
  #writing: Promise<unknown> = Promise.resolve();
  /** The values of the meters when they were last read. */
  readonly #read = new Map<string, Sums>();

  constructor(
    needs: Pick<Tools, 'log' | 'clock' | 'journal'> & {
      readonly meters: Pick<Meters, 'carriers' | 'accounts'>;
      readonly currencyOf: (account: number) => string;
    },
  ) {
    this.#needs = needs;
    this.#loop = new Loop({ ...needs, name: 'write counts', everyMs: writeEveryMs, turn: () => this.write() });
  }

  /** Counts a message that broke a rule. The text of the message is not kept. */
  ruleHit(
    account: Account,
    rule: RuleName,
    { mode, message }: { mode: RuleMode; message: { readonly sender: string; readonly receiver: string } },
  ): void {
    const at = this.#needs.clock.now();
    const refused = mode === 'refuse' ? 1 : 0;
    const { sender, receiver } = message;
    const hit = { account: account.id, rule, refused };
    this.#counted.put(ruleHitTable, { ...hit, watched: 1 - refused, firstAt: at, lastAt: at, sender, receiver });
    this.#counted.put(ruleSlotTable, { ...hit, slot: Math.floor(at / slotMs), broken: 1 });
  }

  /** Counts a request with a token, whether it succeeds or not. */
  tokenRequest(token: string, at: Instant): void {
    this.#counted.put(tokenDayTable, { token, day: Math.floor(at / dayMs), requests: 1, messages: 0, lastAt: at });
  }

  /** Counts every refused request. In a flood, only a few of them are kept as samples. */
  refused({ isSample, ...refusal }: Omit<RefusalRow, 'at'> & { readonly isSample: boolean }): void {
    const at = this.#needs.clock.now();
    const { account, code, requestId } = refusal;
    if (isSample && this.#refusals.length < refusalsMax) this.#refusals.push({ ...refusal, at });
    const hour = Math.floor(at / hourMs);
    this.#counted.put(refusalHourTable, { account, code, hour, refusals: 1, lastAt: at, requestId });
  }

  /**
   * Stores the counts since the last write. If the store refuses, they are stored with the next write. Writes run one
   * after the other, so that counts of a refused write are always older than those of the next write.
   */
  write(): Promise<void> {
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #write(): Promise<void> {
    const at = this.#needs.clock.now();
    this.#readMeters(at);
    const [counted, refusals] = [this.#counted, this.#refusals];
    const lists = {
      ruleHits: counted.of(ruleHitTable),
      ruleSlots: counted.of(ruleSlotTable),
      tokenDays: counted.of(tokenDayTable),
      refusalHours: counted.of(refusalHourTable),
      carrierSlots: counted.of(carrierSlotTable),
      traffic: counted.of(trafficSlotTable),
    } satisfies CountLists;
    if (Object.values(lists).every((each) => each.length === 0)) return;
    this.#counted = new LoadedRows();
    this.#refusals = [];
    const written = await this.#needs.journal.append<'add-counts'>({ kind: 'add-counts', at, refusals, ...lists });
    if (written.ok) return;
    const newer = this.#counted;
    this.#counted = counted;
    for (const name of countedNames) {
      const table: Table<object> = countedTables[name];
      for (const row of newer.of(table)) counted.put(table, row);
    }
    this.#refusals = [...refusals, ...this.#refusals].slice(0, refusalsMax);
  }

  /** Counts what the meters counted since they were last read. */
  #readMeters(at: Instant): void {
    const { meters, currencyOf } = this.#needs;
    const slot = Math.floor(at / slotMs);
    for (const [carrier, { outcomes, delivered, failed }] of meters.carriers) {
      const { accepted = 0, refused = 0 } = outcomes;
      const sums = this.#since(`carrier ${carrier}`, { accepted, refused, delivered, failed });
      if (sums) this.#counted.put(carrierSlotTable, { ...sums, carrier, slot });
    }
    for (const { currency, charged, ...counts } of trafficOf(meters, currencyOf)) {
      const sums = this.#since(`traffic ${currency}`, { ...counts, charged });
      if (!sums) continue;
      for (const { span } of trafficSpans) {
        this.#counted.put(trafficSlotTable, { ...sums, currency, span, slot: Math.floor(at / (span * secondMs)) });
      }
    }
  }

  /** Additions to the sums since the last call; undefined if there were none. */
  #since<S extends Sums>(name: string, sums: S): S | undefined {
    const before = this.#read.get(name) ?? {};
    this.#read.set(name, sums);
    const added = Object.entries(sums).map(([member, sum]) => [member, minus(sum, before[member])] as const);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the members of the sums
    return added.some(([, sum]) => Number(sum) !== 0) ? (Object.fromEntries(added) as S) : undefined;
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.write();
  }
}

interface Sums {
  readonly [member: string]: number | bigint;
}

function minus(sum: number | bigint, before: number | bigint = 0): number | bigint {
  return typeof sum === 'bigint' ? sum - BigInt(before) : sum - Number(before);
}

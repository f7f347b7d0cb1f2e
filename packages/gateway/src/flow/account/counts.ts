/*
 * Counts in memory how often rules are broken, tokens are used and requests are refused, and what carriers do, and stores the
 * counts once a minute.
 */

import type { Account } from '../../core/account/account.ts';
import type { RuleMode, RuleName } from '@morsel/api/values/account.ts';
import { dayMs, hourMs, minuteMs, type Instant } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import type { RefusalHour, RefusalRow } from '../../state/tables/account.ts';
import { slotMs, type CarrierSlot } from '../../state/tables/route.ts';
import type { Traffic } from '../../state/tables/alarm/traffic.ts';
import type { Meters } from '../metrics/meters.ts';
import { trafficOf, trafficSince } from '../metrics/traffic.ts';
import type { RuleHits, TokenUse } from '../../state/decide/account/counts.ts';

interface CountNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
  /** Other work to do before each write of the counts. */
  readonly sweep: () => void;
  readonly meters: Pick<Meters, 'carriers' | 'accounts'>;
  readonly currencyOf: (account: number) => string;
}

const writeEveryMs = minuteMs;
/** The most refused requests that are kept between two writes. Their number by account and code is bounded by itself. */
const refusalsMax = 1_000;

/**
 * Counts rule hits and token uses without a disk write for each. There is one count for each account and rule, and one
 * for each token and day. If the process is killed, the counts of the last minute are lost.
 */
export class Counts {
  readonly #needs: CountNeeds;
  readonly #loop: Loop;
  #ruleHits = new Map<string, RuleHits>();
  #tokenUses = new Map<string, TokenUse>();
  #refusals: RefusalRow[] = [];
  #refusalHours = new Map<string, RefusalHour>();
  /** What is stored of the meters of each carrier, and of all. */
  readonly #stored = new Map<number, Sums>();
  #storedTraffic: readonly Traffic[] = [];

  constructor(needs: CountNeeds) {
    this.#needs = needs;
    const { clock, log } = needs;
    const turn = () => {
      needs.sweep();
      return this.write();
    };
    this.#loop = new Loop({ clock, log, name: 'write counts', everyMs: writeEveryMs, turn });
  }

  /** Counts a message that broke a rule. The text of the message is not kept. */
  ruleHit(
    account: Account,
    rule: RuleName,
    { mode, message }: { mode: RuleMode; message: { readonly sender: string; readonly receiver: string } },
  ): void {
    const at = this.#needs.clock.now();
    const isRefused = mode === 'refuse';
    const { sender, receiver } = message;
    this.#addRuleHits({
      account: account.id,
      rule,
      sender,
      receiver,
      firstAt: at,
      lastAt: at,
      watched: isRefused ? 0 : 1,
      refused: isRefused ? 1 : 0,
    });
  }

  /** Counts a request that a token authenticated, whether the request succeeds or not. */
  tokenRequest(token: string, at: Instant): void {
    this.#addTokenUse({ token, requests: 1, messages: 0, lastAt: at });
  }

  /** Counts a refused request. Keeps it, too, if it is a sample: in a flood, all are counted and a few are kept. */
  refused({ isSample, ...refusal }: Omit<RefusalRow, 'at'> & { readonly isSample: boolean }): void {
    const at = this.#needs.clock.now();
    const { account, code, requestId } = refusal;
    if (isSample && this.#refusals.length < refusalsMax) this.#refusals.push({ ...refusal, at });
    this.#addRefusals({ account, code, hour: Math.floor(at / hourMs), refusals: 1, lastAt: at, requestId });
  }

  /** Stores the counts since the last write. If the store refuses, they are stored with the next write. */
  async write(): Promise<void> {
    const ruleHits = [...this.#ruleHits.values()];
    const tokenUses = [...this.#tokenUses.values()];
    const refusals = this.#refusals;
    const refusalHours = [...this.#refusalHours.values()];
    const { journal, clock } = this.#needs;
    const at = clock.now();
    const carrierSlots = this.#slots(Math.floor(at / slotMs));
    const sums = trafficOf(this.#needs.meters, this.#needs.currencyOf);
    const traffic = trafficSince(sums, this.#storedTraffic);
    const lists = [ruleHits, tokenUses, refusalHours, carrierSlots, traffic];
    if (lists.every((each) => each.length === 0)) return;
    this.#ruleHits = new Map();
    this.#tokenUses = new Map();
    this.#refusals = [];
    this.#refusalHours = new Map();
    const counts = { ruleHits, tokenUses, refusals, refusalHours, carrierSlots, traffic };
    const storedBefore = this.#storedTraffic;
    this.#storedTraffic = sums;
    for (const each of carrierSlots) this.#addStored(each, 1);
    const written = await journal.append<'add-counts'>({ kind: 'add-counts', at, ...counts });
    if (written.ok) return;
    this.#storedTraffic = storedBefore;
    for (const each of carrierSlots) this.#addStored(each, -1);
    for (const each of ruleHits) this.#addRuleHits(each);
    for (const each of tokenUses) this.#addTokenUse(each);
    for (const each of refusalHours) this.#addRefusals(each);
    this.#refusals = [...refusals, ...this.#refusals].slice(0, refusalsMax);
  }

  /** What the carriers did since the last write. */
  #slots(slot: number): readonly CarrierSlot[] {
    return [...this.#needs.meters.carriers].flatMap(([carrier, meter]) => {
      const { accepted = 0, refused = 0 } = meter.outcomes;
      const stored = this.#stored.get(carrier) ?? noSums;
      const sums = {
        accepted: accepted - stored.accepted,
        refused: refused - stored.refused,
        delivered: meter.delivered - stored.delivered,
        failed: meter.failed - stored.failed,
      };
      return Object.values(sums).some((each) => each > 0) ? [{ carrier, slot, ...sums }] : [];
    });
  }

  #addStored({ carrier, accepted, refused, delivered, failed }: CarrierSlot, sign: 1 | -1): void {
    const stored = this.#stored.get(carrier) ?? noSums;
    this.#stored.set(carrier, {
      accepted: stored.accepted + sign * accepted,
      refused: stored.refused + sign * refused,
      delivered: stored.delivered + sign * delivered,
      failed: stored.failed + sign * failed,
    });
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.write();
  }

  #addTokenUse(use: TokenUse): void {
    const key = `${use.token} ${Math.floor(use.lastAt / dayMs)}`;
    const { requests = 0, messages = 0, lastAt = 0 } = this.#tokenUses.get(key) ?? {};
    this.#tokenUses.set(key, {
      token: use.token,
      requests: requests + use.requests,
      messages: messages + use.messages,
      lastAt: Math.max(lastAt, use.lastAt),
    });
  }

  #addRefusals(hour: RefusalHour): void {
    const key = `${hour.account} ${hour.code} ${hour.hour}`;
    const refusals = hour.refusals + (this.#refusalHours.get(key)?.refusals ?? 0);
    this.#refusalHours.set(key, { ...hour, refusals });
  }

  #addRuleHits(hits: RuleHits): void {
    const key = `${hits.account} ${hits.rule}`;
    const known = this.#ruleHits.get(key);
    this.#ruleHits.set(key, known ? joined(known, hits) : hits);
  }
}

type Sums = Omit<CarrierSlot, 'carrier' | 'slot'>;
const noSums: Sums = { accepted: 0, refused: 0, delivered: 0, failed: 0 };

function joined(a: RuleHits, b: RuleHits): RuleHits {
  const last = b.lastAt >= a.lastAt ? b : a;
  return {
    ...last,
    watched: a.watched + b.watched,
    refused: a.refused + b.refused,
    firstAt: Math.min(a.firstAt, b.firstAt),
  };
}
